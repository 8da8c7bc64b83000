"""What evaluating gives, and scores that come from elsewhere."""
