import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeTempFolder } from '#support/process/tempFolder'
import { until } from '#support/values/until'
import { findProgram } from '../process/findProgram'
import { freePort } from '../process/serverProcess'

/** A real S3 on this machine: a Ceph object gateway over one store in memory. */
export type Ceph = {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Ends all its programs at once and removes its folder. */
  stop(): Promise<void>
}

const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']
const STEP_MS = 180_000
// Its programs ask the monitor before they have heard its name, and are then refused: now and then on a busy machine.
const START_TRIES = 3
const COMMAND_TRIES = 5

/** @returns the programs that are not installed; none when Ceph can be started */
export function missingForCeph(): readonly string[] {
  return PROGRAMS.filter((name) => findProgram(name) === undefined)
}

/**
 * Starts Ceph on free ports of this machine's loopback; several may run at a time. It takes two to three seconds.
 * Nothing survives `stop`, and nothing reaches the disk but logs. A day of a lifecycle rule lasts two seconds here.
 */
export async function startCeph(): Promise<Ceph> {
  return persistently(START_TRIES, startOnce)
}

async function startOnce(): Promise<Ceph> {
  const folder = await makeTempFolder('lantern-ceph')
  const programs: ChildProcess[] = []
  const stop = async () => {
    await Promise.all(programs.map(kill))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const [monitorPort, gatewayPort] = [await freePort(), await freePort()]
    const keys = { accessKeyId: `test${randomUUID().slice(0, 8)}`, secretAccessKey: randomUUID() }
    await startAll({ folder, programs, monitorPort, gatewayPort, ...keys })
    return { endpoint: `http://127.0.0.1:${gatewayPort}`, ...keys, stop }
  } catch (error) {
    const logs = await Promise.all(['mon', 'osd', 'rgw'].map((name) => logOf(folder, name)))
    await stop()
    throw new Error(`Ceph did not start.\n${logs.join('\n')}`, { cause: error })
  }
}

type Plan = {
  readonly folder: string
  readonly programs: ChildProcess[]
  readonly monitorPort: number
  readonly gatewayPort: number
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

async function startAll({ folder, programs, monitorPort, gatewayPort, ...keys }: Plan): Promise<void> {
  const config = join(folder, 'ceph.conf')
  const cluster = randomUUID()
  const monitor = `v1:127.0.0.1:${monitorPort}`
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(folder, name))
  await writeFile(config, configuration({ folder, cluster, monitor, gatewayPort }))
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, ['-c', config, ...args], { timeout: STEP_MS, killSignal: 'SIGKILL' })
  const start = async (program: string, log: string, ...args: string[]) => {
    const output = await open(join(folder, `${log}.out`), 'a')
    programs.push(spawn(program, ['-c', config, ...args, '-f'], { stdio: ['ignore', output.fd, output.fd] }))
    await output.close()
  }

  const map = join(folder, 'monmap')
  await run('monmaptool', '--create', '--addv', 'a', `[${monitor}]`, '--fsid', cluster, map)
  await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map)
  await start('ceph-mon', 'mon', '-i', 'a')
  // The cluster admits a store by this name, and the store must have been made with it.
  const store = randomUUID()
  const command = (...args: string[]) =>
    persistently(COMMAND_TRIES, () => run('ceph', '--connect-timeout', '60', 'osd', ...args))
  await command('new', store)
  await Promise.all([
    command('crush', 'add', 'osd.0', '1.0', 'host=localhost', 'root=default'),
    run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store),
  ])
  await start('ceph-osd', 'osd', '-i', '0')
  const { accessKeyId, secretAccessKey } = keys
  const user = ['--uid=tester', '--display-name=tester', `--access-key=${accessKeyId}`]
  await run('radosgw-admin', 'user', 'create', ...user, `--secret-key=${secretAccessKey}`)
  await start('radosgw', 'rgw', '-n', 'client.rgw.a')
  await answering(`http://127.0.0.1:${gatewayPort}/`)
}

function configuration(of: {
  folder: string
  cluster: string
  monitor: string
  gatewayPort: number
}): string {
  return `[global]
fsid = ${of.cluster}
mon_initial_members = a
mon_host = [${of.monitor}]
ms_bind_msgr2 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
# What only watches itself costs as much as the work: checksums on loopback, the history of operations, logs kept in memory.
ms_crc_data = false
ms_crc_header = false
ms_async_op_threads = 1
osd_enable_op_tracker = false
osd_op_num_shards = 2
osd_op_num_threads_per_shard = 1
debug_objclass = 0/0
debug_objecter = 0/0
debug_osd = 0/0
debug_rgw = 0/0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_data_avail_warn = 1
mon_data_avail_crit = 1
paxos_propose_interval = 0.1
run_dir = ${of.folder}
admin_socket =
log_file = ${of.folder}/$name.log
pid_file =
osd_objectstore = memstore
# Done by commands, which can be repeated.
osd_class_update_on_start = false
osd_crush_update_on_start = false
memstore_device_bytes = 8589934592
mon_data = ${of.folder}/mon
osd_data = ${of.folder}/osd
[client.rgw.a]
rgw_frontends = beast endpoint=127.0.0.1:${of.gatewayPort} tcp_nodelay=1
rgw_data = ${of.folder}/rgw
rgw_thread_pool_size = 16
rgw_lc_debug_interval = 2
# Else three threads look through 32 lists for expired objects, every two seconds.
rgw_lc_max_worker = 1
rgw_lc_max_objs = 1
rgw_enable_gc_threads = false
rgw_enable_quota_threads = false
rgw_dynamic_resharding = false
rgw_run_sync_thread = false
rgw_dns_name = localhost
rgw_enable_usage_log = false
`
}

async function persistently<T>(tries: number, work: () => Promise<T>): Promise<T> {
  for (let left = tries - 1; ; left--)
    try {
      return await work()
    } catch (error) {
      if (left === 0) throw error
    }
}

async function answering(url: string): Promise<void> {
  const isUp = () =>
    fetch(url).then(
      async (response) => (await response.arrayBuffer()) !== undefined,
      () => false,
    )
  await until(`an answer from ${url}`, isUp, { ms: STEP_MS, everyMs: 50 })
}

async function kill(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null || program.pid === undefined) return
  const ended = once(program, 'exit')
  program.kill('SIGKILL')
  await ended
}

async function logOf(folder: string, name: string): Promise<string> {
  const text = await readFile(join(folder, `${name}.out`), 'utf8').catch(() => '')
  return `${name}: ${text.slice(-2000)}`
}
