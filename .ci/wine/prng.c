/* bcryptprimitives.dll for Wine 8, which has none: the one function that Go's
   runtime takes from it, on top of the older function for the same (RtlGenRandom).
   For tests only; nothing that is released is built from it. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
  for (; size > MAXLONG; data += MAXLONG, size -= MAXLONG)
    if (!SystemFunction036(data, MAXLONG)) return FALSE;
  return SystemFunction036(data, (ULONG)size);
}
