import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { openMediaFolder } from '#support/media/media'
import { findProgram } from '#support/process/findProgram'
import { freePort, projectRoot, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

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
let config: Config

suiteOf.before(async () => {
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

test('it runs a user without rights, who owns nothing but the data, and asks for its health', async () => {
  const { User, Entrypoint, Cmd, Volumes, Healthcheck, ExposedPorts } = config.config
  assert.is(User, '65532:65532')
  assert.equal([...Entrypoint, ...Cmd], ['/usr/local/bin/node', '/app/lantern-room.cjs', 'media'])
  assert.equal([Object.keys(Volumes), Object.keys(ExposedPorts)], [['/data'], ['8000/tcp']])
  assert.equal(Healthcheck.Test, ['CMD', '/usr/local/bin/node', '/app/health.cjs'])
  if (process.getuid?.() === 0) assert.is((await stat(join(root, 'data'))).uid, 65_532)
})

test('other programs read it', async () => {
  if (image === undefined || !findProgram('skopeo')) return
  const { stdout } = await run('skopeo', ['inspect', `oci-archive:${join(projectRoot, 'dist/image', image)}`])
  assert.is(JSON.parse(stdout).Os, 'linux')
})

asRoot(
  'it makes a photo with a root that is read-only, is healthy, and stops when it is told to',
  async () => {
    const [port, metrics] = [await freePort(), await freePort()]
    const settings = [...config.config.Env, `MEDIA_PORT=${port}`, `MEDIA_METRICS_PORT=${metrics}`]
    await mkdir(join(root, 'dev'))
    await mkdir(join(root, 'proc'))
    const prepare = [
      'mount --bind "$0" "$0"; mount --bind /dev "$0/dev"; mount -t proc proc "$0/proc"',
      'mount -t tmpfs -o uid=65532,gid=65532,mode=700 tmpfs "$0/data"; mount -o remount,bind,ro "$0"',
      'exec env -i "$@"',
    ].join('; ')
    const { Entrypoint, Cmd } = config.config
    const [node = '', program = ''] = Entrypoint
    const chroot = [...settings, findProgram('chroot') ?? '', '--userspec=65532:65532', root]
    const shell = ['-m', 'sh', '-ec', prepare, root]
    const server = startServer([...shell, ...chroot, node, program, ...Cmd], {}, 'unshare')
    await server.said(/listening on/)
    const health = await run('env', ['-i', ...chroot, node, '/app/health.cjs'])
    assert.is(health.stderr, '')
    const media = await openMediaFolder()
    const clip = await media.make('clip.mp4', [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=320x240:rate=30:duration=1',
    ])
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(await readFile(clip))]), 'clip.mp4')
    for (const [name, value] of [
      ['range_start', '0'],
      ['range_end', '0.5'],
      ['cover_time', '0'],
      ['speed', '1'],
    ] as const)
      form.append(name, value)
    const photo = await fetch(`http://127.0.0.1:${port}/motion-photo`, { method: 'POST', body: form })
    const bytes = Buffer.from(await photo.arrayBuffer())
    await media.remove()
    assert.is(photo.status, 200, bytes.toString('utf8', 0, 300))
    assert.is(bytes.toString('latin1', bytes.length - 4), 'SEFT')
    await server.end()
    assert.is(await server.ended, 0, server.stderr())
  },
)

type Descriptor = { readonly digest: string; readonly size: number }
type Config = {
  readonly rootfs: { readonly diff_ids: readonly string[] }
  readonly config: Readonly<Record<'Entrypoint' | 'Cmd' | 'Env', readonly string[]>> &
    Readonly<Record<'Volumes' | 'ExposedPorts', object>> & {
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
