for i in {1..300}; do cat > f << E
line $i
E
done
cat f
