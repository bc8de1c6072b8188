import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { type MediaFolder, openMediaFolder } from '#support/media/media'
import { findProgram } from '#support/process/findProgram'
import { freePort, projectRoot, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { formOf } from '../contract/http/requests'

// The image for containers, as a runtime without a daemon would run it: unpacked, with a root that cannot be written.

const made = await readdir(join(projectRoot, 'dist/image')).catch(() => [])
const image = made.find((name) => name.endsWith('.oci.tar'))
const suiteOf = suite('the image for containers', { timeoutMs: 120_000 })
const test = suiteOf.skipUnless(image !== undefined, '`npm run dist -- image` has not been run')
const isRoot = process.getuid?.() === 0 && findProgram('unshare') && findProgram('chroot')
const asRoot = suiteOf.skipUnless(image && isRoot, 'unshare and chroot need root, and an image')
const folder = await folderOfSuite(suiteOf, 'lantern-image')
const run = promisify(execFile)
const root = join(folder, 'root')
let media: MediaFolder
let config: Config

suiteOf.before(async () => {
  media = await openMediaFolder()
  if (image === undefined) return
  await run('tar', ['-xf', join(projectRoot, 'dist/image', image), '-C', folder])
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'))
  const manifest = JSON.parse((await blob(index.manifests[0])).toString())
  config = JSON.parse((await blob(manifest.config)).toString())
  await mkdir(root)
  for (const layer of manifest.layers) {
    await run('tar', ['-xzpf', blobPath(layer), '-C', root])
    assert.is(config.rootfs.diff_ids[manifest.layers.indexOf(layer)], sumOf(gunzipSync(await blob(layer))))
  }
})
suiteOf.after(() => media.remove())

test('it runs a user without rights, who owns nothing but the data', async () => {
  assert.is(config.config.User, '65532:65532')
  if (process.getuid?.() === 0) assert.is((await stat(join(root, 'data'))).uid, 65_532)
})

test('other programs read it', async () => {
  if (image === undefined || !findProgram('skopeo')) return
  const { stdout } = await run('skopeo', ['inspect', `oci-archive:${join(projectRoot, 'dist/image', image)}`])
  assert.is(JSON.parse(stdout).Os, 'linux')
})

asRoot(
  'it makes a photo where nothing but /data can be written, is healthy, and stops when told',
  async () => {
    const [port, metrics] = [await freePort(), await freePort()]
    const { Env, Entrypoint, Cmd, Healthcheck } = config.config
    const settings = [...Env, `MEDIA_PORT=${port}`, `MEDIA_METRICS_PORT=${metrics}`]
    for (const name of ['dev', 'proc']) await mkdir(join(root, name))
    const script = [
      'mount --bind "$0" "$0"; mount --bind /dev "$0/dev"; mount -t proc proc "$0/proc"',
      'mount -t tmpfs -o uid=65532,gid=65532,mode=700 tmpfs "$0/data"; mount -o remount,bind,ro "$0"',
      'exec env -i "$@"',
    ].join('; ')
    const chroot = [...settings, findProgram('chroot') ?? '', '--userspec=65532:65532', root]
    const command = ['-m', 'sh', '-ec', script, root, ...chroot, ...Entrypoint, ...Cmd]
    const server = startServer(command, {}, 'unshare')
    await server.said(/listening on/)
    const [, ...ask] = Healthcheck.Test
    assert.is((await run('env', ['-i', ...chroot, ...ask])).stderr, '')
    const source = 'testsrc2=size=320x240:rate=30:duration=1'
    const clip = await readFile(await media.make('clip.mp4', ['-f', 'lavfi', '-i', source]))
    const fields = { range_start: '0', range_end: '0.5', cover_time: '0', speed: '1' }
    const init = { method: 'POST', body: formOf(clip, 'file', fields) }
    const photo = await fetch(`http://127.0.0.1:${port}/motion-photo`, init)
    const bytes = Buffer.from(await photo.arrayBuffer())
    assert.is(photo.status, 200, bytes.toString('utf8', 0, 300))
    assert.is(bytes.toString('latin1', bytes.length - 4), 'SEFT')
    await server.end()
    assert.is(await server.ended, 0, server.stderr())
  },
)

type Descriptor = { readonly digest: string; readonly size: number }
type Config = {
  readonly rootfs: { readonly diff_ids: readonly string[] }
  readonly config: Readonly<Record<'Env' | 'Entrypoint' | 'Cmd', readonly string[]>> & {
    readonly User: string
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
}

function blobPath({ digest }: Descriptor): string {
  return join(folder, 'blobs', digest.replace(':', '/'))
}

async function blob(of: Descriptor): Promise<Buffer> {
  const bytes = await readFile(blobPath(of))
  assert.equal([sumOf(bytes), bytes.length], [of.digest, of.size])
  return bytes
}

function sumOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

suiteOf.run()
