import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { inDataFolder, isUp } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import { findProgram } from '#support/process/findProgram'
import { freePort, projectRoot, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { formOf } from '../contract/http/requests'

// The image for containers, as a runtime without a daemon would run it: unpacked, with a root that cannot be written.

const run = promisify(execFile)
let whyNone = 'it is made on Debian'
const suiteOf = suite('the image for containers', { timeoutMs: 400_000 })
const folder = await folderOfSuite('lantern-image')
const image = await findOrMakeImage()
const test = suiteOf.skipUnless(image !== undefined, `no image: ${whyNone}`)
const isRoot = process.getuid?.() === 0 && findProgram('unshare') && findProgram('chroot')
const asRoot = suiteOf.skipUnless(image && isRoot, 'unshare and chroot need root, and an image')
const root = join(folder, 'root')
const media = await mediaFolderOfSuite()
let config: Config

suiteOf.before(async () => {
  if (image === undefined) return
  await run('tar', ['-xf', image, '-C', folder])
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'))
  const manifest = JSON.parse((await blob(index.manifests[0])).toString())
  config = JSON.parse((await blob(manifest.config)).toString())
  for (const name of [root, join(root, 'dev'), join(root, 'proc')]) await mkdir(name)
  for (const layer of manifest.layers) {
    await run('tar', ['-xzpf', blobPath(layer), '-C', root])
    assert.is(config.rootfs.diff_ids[manifest.layers.indexOf(layer)], sumOf(gunzipSync(await blob(layer))))
  }
})

test('it runs a user without rights, who owns nothing but the data', async () => {
  assert.is(config.config.User, '65532:65532')
  if (process.getuid?.() === 0) assert.is((await stat(join(root, 'data'))).uid, 65_532)
})

const byOthers = suiteOf.skipUnless(
  image && isRoot && findProgram('skopeo') && findProgram('umoci'),
  'skopeo and umoci are not installed, or need root, and an image',
)

byOthers('skopeo and umoci read it, and unpack the same files', async () => {
  const { stdout } = await run('skopeo', ['inspect', `oci-archive:${image}`])
  assert.is(JSON.parse(stdout).Os, 'linux')
  const [copy, bundle] = [join(folder, 'copy'), join(folder, 'bundle')]
  await run('skopeo', ['copy', '--insecure-policy', `oci-archive:${image}`, `oci:${copy}:it`])
  await run('umoci', ['unpack', '--image', `${copy}:it`, bundle])
  const compared = run('diff', ['-rq', '--no-dereference', join(bundle, 'rootfs'), root])
  const { stdout: differences } = await compared.catch((error: { code: number; stdout: string }) => {
    if (error.code !== 1) throw error
    return error
  })
  // Folders that a runtime mounts are made by the one who unpacks.
  assert.equal(
    differences.split('\n').filter((line) => line !== '' && !/: (dev|proc|sys)$/.test(line)),
    [],
  )
})

asRoot(
  'it makes a photo where nothing but /data can be written, is healthy, and stops when told',
  async () => {
    const { server, chroot, ...host } = await startImage()
    const [, ...ask] = config.config.Healthcheck.Test
    assert.is((await run('env', ['-i', ...chroot, ...ask])).stderr, '')
    const source = 'testsrc2=size=320x240:rate=30:duration=1'
    const clip = await readFile(await media.make('clip.mp4', ['-f', 'lavfi', '-i', source]))
    const fields = { range_start: '0', range_end: '0.5', cover_time: '0', speed: '1' }
    const init = { method: 'POST', body: formOf(clip, 'file', fields) }
    const photo = await host.send('/motion-photo', init)
    const bytes = Buffer.from(await photo.arrayBuffer())
    assert.is(photo.status, 200, bytes.toString('utf8', 0, 300))
    assert.is(bytes.toString('latin1', bytes.length - 4), 'SEFT')
    await host.stop()
    assert.is(await server.ended, 0, server.stderr())
  },
)

/** As `docker run --read-only -v …:/data` does. */
async function startImage() {
  const [port, metrics] = [await freePort(), await freePort()]
  const own = { MEDIA_PORT: String(port), MEDIA_METRICS_PORT: String(metrics) }
  const { Env, Entrypoint, Cmd } = config.config
  const env = [...Env, ...Object.entries(own).map(([name, value]) => `${name}=${value}`)]
  const script = [
    'mount --bind "$0" "$0"; mount --bind /dev "$0/dev"; mount -t proc proc "$0/proc"',
    'mount --bind "$1" "$0/data"; shift; mount -o remount,bind,ro "$0"; exec env -i "$@"',
  ].join('; ')
  const chroot = [...env, findProgram('chroot') ?? '', '--userspec=65532:65532', root]
  const host = await inDataFolder({}, async (dataDir) => {
    await chown(dataDir, 65_532, 65_532)
    const command = ['-m', 'sh', '-ec', script, root, dataDir, ...chroot, ...Entrypoint, ...Cmd]
    const server = startServer(command, {}, 'unshare')
    await isUp(server, /listening on/)
    return { url: `http://127.0.0.1:${port}`, server }
  })
  return { ...host, chroot }
}

/** The one that `npm run dist -- image` has made, or one with the layer's ffmpeg or that of PyPI. */
async function findOrMakeImage(): Promise<string | undefined> {
  const ready = join(projectRoot, 'dist/image')
  const found = await imageIn(ready)
  if (found !== undefined || !findProgram('apt-get')) return found
  const built = join(
    projectRoot,
    'layers/ffmpeg/dist',
    process.arch === 'arm64' ? 'arm64' : 'x86_64',
    'bin/ffmpeg',
  )
  const node = (...args: readonly string[]) => run(process.execPath, args, { cwd: projectRoot })
  const fetched = join(folder, 'layer')
  try {
    if (!existsSync(built))
      await node('layers/ffmpeg/build.mjs', '--arch', process.arch, '--from', 'pypi', '--out', fetched)
    const ffmpeg = existsSync(built) ? built : join(fetched, 'bin/ffmpeg')
    await node('dist/local-runner/makeExecutables.mjs', 'image', '--ffmpeg', ffmpeg, '--out', folder)
    return await imageIn(folder)
  } catch (error) {
    whyNone = String((error as Error).message)
      .split('\n')
      .join(' ')
    return undefined
  }
}

async function imageIn(place: string): Promise<string | undefined> {
  const names = await readdir(place).catch(() => [])
  const name = names.find((one) => one.endsWith('.oci.tar'))
  return name && join(place, name)
}

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
