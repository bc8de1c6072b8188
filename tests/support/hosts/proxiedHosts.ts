import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '#support/values/until'
import {
  freePort,
  projectRoot,
  type ServerProcess,
  type Settings,
  startServer,
} from '../process/serverProcess'
import { isUp } from './hosts'

/** The proxies of which docs/containers has a sample. */
export type ProxyName = keyof typeof PROXIES

/** The same ports at each. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2'] as const

export type ProxiedHosts = Awaited<ReturnType<typeof startProxiedHosts>>

/**
 * Two hosts on one store, and a proxy before them with the sample of docs/containers. Only on Linux, where every address of 127.0.0.0/8
 * is this machine's.
 * @param folder for everything
 * @param own changes to the sample: what is in it, and what stands for it
 */
export async function startProxiedHosts(
  name: ProxyName,
  folder: string,
  settings: Settings = {},
  own: Readonly<Record<string, string>> = {},
) {
  const [port, metricsPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const start = (address: string) => startHost(address, port, metricsPort, join(folder, 'data'), settings)
  const hosts: ServerProcess[] = await Promise.all(ADDRESSES.map(start))
  const { sample, changes, run } = PROXIES[name]
  const text = await readFile(join(projectRoot, 'docs/containers', sample), 'utf8')
  const all = Object.entries({ ...changes(port, metricsPort, proxyPort), ...own })
  const config = join(folder, sample)
  await mkdir(folder, { recursive: true })
  await writeFile(
    config,
    all.reduce((changed, [there, here]) => changed.replaceAll(there, here), text),
  )
  const proxy = run(config, folder)
  const url = `http://127.0.0.1:${proxyPort}`
  const send = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
  const stop = async () => {
    for (const server of hosts) server.signal('SIGKILL')
    // Killed, nginx would leave the processes that work for it.
    proxy.signal('SIGTERM')
    await Promise.all([proxy, ...hosts].map(({ ended }) => ended))
  }
  try {
    const story = () => proxy.stderr()
    const ask = () => send('/health').catch(() => undefined)
    await eventually(ask, (answer) => answer?.status === 200, { story })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    send,
    hosts,
    /** Stops one as a supervisor does, and starts its successor, which listens when this resolves. */
    async replace(index: 0 | 1): Promise<void> {
      await hosts[index]?.end()
      hosts[index] = await start(ADDRESSES[index])
    },
    /** How many requests it has answered. */
    async answeredBy(index: 0 | 1): Promise<number> {
      const text = await (await fetch(`http://${ADDRESSES[index]}:${metricsPort}/metrics`)).text()
      const counts = [...text.matchAll(/^motion_photo_responses_total\{.*\} (\d+)$/gm)]
      return counts.reduce((sum, [, count]) => sum + Number(count), 0)
    },
    stop,
  }
}

async function startHost(
  MEDIA_HOST: string,
  port: number,
  metricsPort: number,
  DATA_DIR: string,
  settings: Settings,
): Promise<ServerProcess> {
  const at = { MEDIA_HOST, MEDIA_PORT: `${port}`, MEDIA_METRICS_HOST: MEDIA_HOST }
  const main = join(projectRoot, 'dist/local-runner/main.mjs')
  const shared = { MEDIA_METRICS_PORT: `${metricsPort}`, DATA_DIR, TRUST_PROXY: 'true' }
  const server = startServer([main, 'media'], { ...at, ...shared, ...settings })
  await isUp(server, /listening on/)
  return server
}

const [first, second] = ADDRESSES

/** The file of each, what of it is of another machine, and how it is run. */
const PROXIES = {
  caddy: {
    sample: 'Caddyfile',
    changes: (port: number, metricsPort: number, proxyPort: number) => ({
      'media.example.com': `{\n\tadmin off\n}\nhttp://127.0.0.1:${proxyPort}`,
      'media-a:8000': `${first}:${port}`,
      'media-b:8000': `${second}:${port}`,
      'health_port 8001': `health_port ${metricsPort}`,
    }),
    run: (config: string, folder: string) => {
      const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      return startServer(['run', '--adapter', 'caddyfile', '--config', config], home, 'caddy')
    },
  },
  nginx: {
    sample: 'nginx.conf',
    changes: (port: number, _: number, proxyPort: number) => ({
      'events {}': `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid nginx.pid; error_log stderr; events {}`,
      'http {': `http {\n${TEMPORARY.map((of) => `${of}_temp_path temporary;`).join('\n')}\naccess_log off;`,
      'listen 443 ssl': `listen 127.0.0.1:${proxyPort}`,
      'ssl_certificate /etc/nginx/certificate.pem;': '',
      'ssl_certificate_key /etc/nginx/key.pem;': '',
      'media-a:8000': `${first}:${port}`,
      'media-b:8000': `${second}:${port}`,
    }),
    run: (config: string, folder: string) =>
      startServer(['-e', 'stderr', '-p', folder, '-c', config], {}, 'nginx'),
  },
} as const

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi']
