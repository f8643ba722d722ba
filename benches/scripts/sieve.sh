n=20000
for ((i = 2; i <= n; i++)); do p[i]=1; done
for ((i = 2; i * i <= n; i++)); do if ((p[i])); then for ((j = i * i; j <= n; j += i)); do p[j]=0; done; fi; done
c=0
for ((i = 2; i <= n; i++)); do ((c += p[i])); done
echo $c
