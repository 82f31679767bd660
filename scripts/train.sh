#!/usr/bin/env bash
# Builds what is out of date, trains the example model in Node and prints its learning curve.
#   usage: train.sh [--positions learned --task reverse --seed 1 --steps 1000 …]      --help lists them
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
exec node build/training/main.js "$@"
