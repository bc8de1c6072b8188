import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { executable, plain, tar } from './archives'
import { appFiles, HEALTH, NODE, readFfmpeg, systemFiles, USER } from './imageFiles'
import { type Release, sha256 } from './release'

/** The names of a machine among ffmpeg's builds, and in images. */
const ARM = ['arm64', 'arm64'] as const
const INTEL = ['x86_64', 'amd64'] as const
const MEDIA_TYPE = 'application/vnd.oci.image'

/**
 * `npm run dist -- image`: the motion photo API as an image for containers, an OCI layout in one tar file, which
 * `docker load`, `podman load` and `skopeo` take. No daemon is needed; the image is for this machine's architecture.
 * @param args `--ffmpeg FILE`: a program instead of the layer's; `--out FOLDER`
 * @throws Error in one sentence when something that this needs is missing
 * @see https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md
 */
export async function makeImage(args: readonly string[], release: Omit<Release, 'folder'>): Promise<void> {
  const { root, version, date, say } = release
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: [...args], options: { ffmpeg: text, out: text } })
  const [machine, architecture] = process.arch === 'arm64' ? ARM : INTEL
  const ffmpeg = await readFfmpeg(
    values.ffmpeg ?? join(root, 'layers/ffmpeg/dist', machine, 'bin/ffmpeg'),
    machine,
  )
  const folder = values.out ?? join(root, 'dist/image')
  const layers = await Promise.all(
    [await systemFiles(root), [executable('usr/local/bin/ffmpeg', ffmpeg)], await appFiles(root, date)].map(
      async (files) => packLayer(await tar(files, date)),
    ),
  )
  const config = json({ architecture, os: 'linux', created: date.toISOString(), ...settings(layers) })
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${MEDIA_TYPE}.manifest.v1+json`,
    config: describe(config, `${MEDIA_TYPE}.config.v1+json`),
    layers: layers.map(({ packed }) => describe(packed, `${MEDIA_TYPE}.layer.v1.tar+gzip`)),
  })
  const blobs = [...layers.map(({ packed }) => packed), config, manifest]
  const image = await tar(
    [
      plain('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
      plain('index.json', indexOf(manifest, version)),
      ...blobs.map((bytes) => plain(`blobs/sha256/${sha256(bytes)}`, bytes)),
    ],
    date,
  )
  const name = `lantern-room-media-${version}-${architecture}.oci.tar`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), image)
  say(`${join(folder, name)} ${(image.length / 1e6).toFixed(1)} MB, sha256:${sha256(manifest)}`)
}

function indexOf(manifest: Uint8Array, version: string): Uint8Array {
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    // By which `docker load` names it.
    'io.containerd.image.name': `docker.io/library/lantern-room-media:${version}`,
  }
  return json({
    schemaVersion: 2,
    mediaType: `${MEDIA_TYPE}.index.v1+json`,
    manifests: [{ ...describe(manifest, `${MEDIA_TYPE}.manifest.v1+json`), annotations }],
  })
}

type Layer = { readonly packed: Uint8Array; readonly unpackedSum: string }

/** How containers of the image are run. The health check is Docker's own field; others pass over it. */
function settings(layers: readonly Layer[]) {
  return {
    config: {
      User: `${USER}:${USER}`,
      Env: [
        'PATH=/usr/local/bin:/usr/bin:/bin',
        'MEDIA_HOST=0.0.0.0',
        'MEDIA_METRICS_HOST=0.0.0.0',
        'MEDIA_METRICS_PORT=8001',
        // Where the AWS SDK looks for credentials, whichever user runs this.
        'HOME=/data',
        'DATA_DIR=/data',
        'FFMPEG_PATH=/usr/local/bin/ffmpeg',
        // A static ffmpeg crashes on transport streams when it loads the system's character sets.
        'GCONV_PATH=/nonexistent',
      ],
      Entrypoint: [NODE, '/app/lantern-room.cjs'],
      Cmd: ['media'],
      Volumes: { '/data': {} },
      ExposedPorts: { '8000/tcp': {} },
      Healthcheck: { Test: ['CMD', ...HEALTH] },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ unpackedSum }) => `sha256:${unpackedSum}`) },
  }
}

function packLayer(archive: Uint8Array): Layer {
  return { packed: gzipSync(archive, { level: 6 }), unpackedSum: sha256(archive) }
}

function describe(bytes: Uint8Array, mediaType: string) {
  return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length }
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
