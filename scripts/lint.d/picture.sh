# picture: docs/architecture.svg shows the includes that there are (scripts/architecture-picture).
set -euo pipefail
[ -f scripts/architecture-picture ] || exit 0
scripts/architecture-picture | cmp -s - docs/architecture.svg ||
  echo "docs/architecture.svg:1: draw it again with scripts/architecture-picture [picture]"
