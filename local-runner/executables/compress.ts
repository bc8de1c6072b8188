import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { systemCode } from '#core/errors'

const MAX_BYTES = 256 * 1024 * 1024

/** xz, which makes 27 MB where gzip makes 40; Node itself cannot write it. @throws Error in one sentence without `xz` */
export async function xz(bytes: Uint8Array): Promise<Uint8Array> {
  const args = ['--compress', '--stdout', '--threads=1', '-6']
  const running = promisify(execFile)('xz', args, { encoding: 'buffer', maxBuffer: MAX_BYTES })
  const { stdin } = running.child
  // How the program has ended says more.
  stdin?.on('error', () => undefined)
  stdin?.end(bytes)
  try {
    return (await running).stdout
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw cause
    throw new Error('The program xz is missing. Install it.', { cause })
  }
}
