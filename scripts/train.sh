#!/usr/bin/env bash
# Builds what is out of date and trains the example models in Node.
#   usage: train.sh [--positions learned --task reverse --seed 1 --steps 1000 …]
#          train.sh computed|patches
# With options, trains one model and prints its learning curve; --help lists them. With the name of a script in scripts/, runs
# that.
. "$(dirname "$0")/common.sh"
need 'JavaScript packages'

bash scripts/build.sh package
stamp=build/training.stamp
if [[ ! -e build/training/main.js ]] || newer_than $stamp web/training tsconfig.{base,training}.json; then
  touch $stamp.next
  logged training node node_modules/typescript/bin/tsc --project tsconfig.training.json ||
    fail "the training example does not compile: $(reason training)"
  mv $stamp.next $stamp
fi
case ${1-} in
  computed | patches) exec node "scripts/$1.mjs" ;;
  *) exec node build/training/main.js "$@" ;;
esac
