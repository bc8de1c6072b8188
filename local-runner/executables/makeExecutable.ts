import { removeMachOSignature, signMachO } from './machO'
import type { Target } from './nodeBinaries'
import { stripElf } from './stripElf'
import { type ProgramDetails, windowsProgram } from './windowsProgram'

/** Node's binaries contain this text once; with `:1` after it instead of `:0` they run the program inside them. */
export const SEA_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Puts contents into a Linux or macOS binary and sets the fuse. */
export type Inject = (binary: Uint8Array, contents: Uint8Array) => Promise<Uint8Array>

/**
 * Puts a program into Node's binary for a target.
 * @param node the binary as published
 * @param contents the program, as `node --experimental-sea-config` of the same version prepares it
 * @throws Error when the binary is not the expected kind
 */
export async function makeExecutable(
  target: Target,
  node: Uint8Array,
  contents: Uint8Array,
  details: ProgramDetails,
  inject: Inject,
): Promise<Uint8Array> {
  if (target === 'win-x64') return withFuse(await windowsProgram(node, contents, details))
  if (target.startsWith('linux')) {
    const stripped = stripElf(node)
    if (stripped === undefined) throw new Error('the binary for Linux is no ELF program')
    return inject(stripped, contents)
  }
  // Signed last: the signature covers everything.
  return signMachO(await inject(removeMachOSignature(node), contents), details.name)
}

/** @throws Error when the binary is not one of Node that can contain a program, or does so already */
export function withFuse(binary: Uint8Array): Uint8Array {
  const bytes = Buffer.from(binary)
  const at = bytes.indexOf(`${SEA_FUSE}:0`)
  if (at < 0 || bytes.indexOf(SEA_FUSE, at + SEA_FUSE.length) >= 0)
    throw new Error('the binary is not one of Node that can contain a program')
  bytes.write('1', at + SEA_FUSE.length + 1, 'latin1')
  return bytes
}
