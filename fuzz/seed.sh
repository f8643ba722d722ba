#!/bin/sh
# Makes seeds for the targets out of the scripts of the conformance corpus: one file a case, in fuzz/corpus/TARGET.
cd "$(dirname "$0")" || exit
for target in parse round_trip session expansion arithmetic pattern; do
    mkdir -p "corpus/$target"
done
find ../corpus/cases -name '*.case' | while read -r file; do
    topic=$(echo "$file" | sed 's,^../corpus/cases/,,; s,[/.],-,g')
    awk -v topic="$topic" '
        /^~~~ script/ { inside = 1; count++; next }
        /^(~~~|===) / { inside = 0 }
        inside {
            print > ("corpus/parse/" topic count)
            print > ("corpus/round_trip/" topic count)
            print > ("corpus/session/" topic count)
        }
        inside && /\$\(\(|\(\(/ { print > ("corpus/arithmetic/" topic count) }
        inside && /\$\{/ { print > ("corpus/expansion/" topic count) }
        inside && /[*?[]/ { print > ("corpus/pattern/" topic count) }
    ' "$file"
done
