/** @returns undefined for anything but a 64-bit little-endian program */
export function readElf(program: Uint8Array): { machine: string; needsOnlySystem: boolean } | undefined
