"""Stands for a file of MLX's Python tests whose packages are not there."""

import no_such_package  # noqa: F401
