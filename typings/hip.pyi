from typing import Any

hip: Any  # the package has no types
