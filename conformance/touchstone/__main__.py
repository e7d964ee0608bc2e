"""`python -m touchstone` is `touchstone`."""

import sys

from touchstone.cli import main

sys.exit(main())
