"""What the interfaces of other packages and the hooks into hosts share."""
