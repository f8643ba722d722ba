f1() { x=$(a
b;c

d & e
f); y=$(cat <<E
$(a;b) ${x} `q`
E
); z="$( (a;b) )" w=$((a);b) v=<(if a; then b; fi) u=$(for x in 1; do a; b; done); echo $(
a
) $(a;) $(a &) $(a & b); }
f2() { a=(1   2 # c
 [x]=y "$(a;b)"
); declare b=( 1   2 ) c[1]=2; echo "${x:-$(a;b)}" "$((1+$(a;b)))"; }
f3() (a;b)
f4() if a; then b; elif c; then d; else e; fi >x 2>&1
f5() { a | b |& c 2>x | while read x; do echo; done |& d; ! a; time -p ! a | b; time; coproc a b; coproc { a; }; [[ a && ! b || ( -f x && c == d* ) && ! ! x ]]; (( a + b )); for ((;;)) { a; }; for x; do b; done; select y in a b; do c; done; case $x in a | b) c;; (d) ;& e) f;;& esac; case x in esac; }
f6() { cat <<E | b <<F && c; d
aa
E
bb
F
cat <<-'E' >x 3<<"G H" <<\I
	tab
	E
  gh
G H
i
I
echo a &
b & c; d
{ a; } >x; ( a; b ) | c
while a; b; do c; done < x
until a <<E
x
E
do b; done
function g { a; }; h() (b); i() { c; } > z
}
f7() { a >x >>y <z 2>w 3<>v >|u &>t &>>s <&3 3>&4 5<&- >&- >&file 3>&$x <&$y 3<&4- {fd}>x {fd}<&- <<<x 2>&1 0<>x 1<>y 1>x 0<y ; >z; a=1 >x b; }
iff() { :; }
f8() { if a <<E; then b; fi
x
E
}
f9() { $'a\'b\n' $"x" "a$'b'" ${x#$'\n'} "${x#$'\n'}" \
  a\
b; }
f10() { cat <<E
x
E
cat <<F; }
y
F
f11() { ( cat <<E
x
E
) ; { cat <<E
x
E
}
case x in a) cat <<E
b
E
;; esac; a && cat <<E || b
x
E
cat <<E &
x
E
}
f12() { function g () ( a ); coproc N { a; }; time { a; }; ! { b; }; ! ! c; a || ! b; }
f13() { for x in; do a; done; for x in a "b c"
do
a
b
done; if a; then if b; then c; fi; d; else e; fi; }
f14() for x in a; do b; done
f15() [[ -n a ]]
f16() ((1+1))
f17 () { :
}  2>&1 </dev/null
f18() { [[ $x =~ ^(a|b)\ c"d"$ ]]; [[ -v x ]]; [[ a < b ]]; [[ a = b ]]; [[ x ]]; [[ ! x ]]; [[ ! ( a || b ) ]]; }
doc1() { cat <<E
x
E
a=1; b=2; c
d
}
doc2() { x=$(cat <<E
x
E
a=1; b=2; c
d
); y=$({ cat <<E
x
E
a; b; }; c); }
doc3() { a; cat <<E
x
E
b; c; }
doc4() { a; x=$(a; cat <<E
x
E
b; c); }
doc5() { { cat <<E
x
E
a; }; b; c; }
doc6() { ( cat <<E
x
E
a; b ); c; d; if cat <<E
x
E
then a; b; fi; c; d; }
doc7() { while a; do cat <<E
x
E
b; c; d; done <<F
y
F
e; f; g
}
doc8() { x=$(f() { a
b; c
}
g
); }
