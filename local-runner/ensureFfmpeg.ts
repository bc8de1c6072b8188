import { existsSync } from 'node:fs'
import { type AptGetOptions, aptGet } from './aptGet'

/**
 * What `locate` finds. When it finds nothing and this is a Debian system, installs ffmpeg as root and locates it again.
 * @throws what `locate` throws
 */
export async function ensureFfmpeg<T>(
  locate: () => Promise<T>,
  options: AptGetOptions & { readonly canInstall?: boolean },
): Promise<T> {
  const { say, canInstall = isDebianAsRoot() } = options
  try {
    return await locate()
  } catch (error) {
    if (!canInstall) throw error
  }
  say('No ffmpeg was found. This is a Debian system and you are root: installing it by apt-get …')
  // Without a network the lists of an earlier update may do.
  await aptGet(['update', '-qq'], options)
  await aptGet(['install', '-y', '-qq', '--no-install-recommends', 'ffmpeg'], options)
  const found = await locate()
  say('ffmpeg is installed.')
  return found
}

function isDebianAsRoot(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version')
}
