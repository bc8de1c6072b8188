import { exiftoolPath } from 'exiftool-vendored'
import { mustRun } from './media'

/** Runs exiftool with the Perl at `PERL_PATH`, or of the system. @returns what it prints */
export async function exiftool(...args: readonly string[]): Promise<Buffer> {
  return mustRun(process.env.PERL_PATH || 'perl', [await exiftoolPath(), ...args])
}
