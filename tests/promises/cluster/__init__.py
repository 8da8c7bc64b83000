"""What needs heavy packages: object stores, Ray, Spark, Dask; run by ``make cluster``."""
