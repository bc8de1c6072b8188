import { untilAborted } from '@lantern-room/base/async'
import { EXIT_OK } from '../../commandLine/failure'
import { atMost, beginLifetime, tellEnd } from '../../commandLine/lifetime'
import { composeRelay, createRelayLog } from '../relay/compose'
import { readRelayConfig } from '../relay/config'
import type { Program } from './compose'

const CLOSE_MS = 1500
const COUNTERS_EVERY_MS = 60_000

/**
 * `room relay`: a shared node for rooms until it is ended. One line of JSON on standard output says where it listens; its
 * counters are logged every minute, and at SIGUSR1.
 * @returns the exit code
 * @throws ConfigError; ServiceError `unavailable`
 */
export async function relay(program: Program): Promise<number> {
  const config = readRelayConfig(program.env)
  const log = createRelayLog(config.logLevel)
  const running = await composeRelay(config, log)
  const life = beginLifetime({
    withStarter: program.isByNpm,
    onEnd: tellEnd,
  })
  const logCounters = () => {
    const { networks, connections, refusedConnections, ...others } = running.counters()
    log.info('relay', { rooms: networks, links: connections, refusedLinks: refusedConnections, ...others })
  }
  const timer = setInterval(logCounters, COUNTERS_EVERY_MS)
  if (process.platform !== 'win32') process.on('SIGUSR1', logCounters)
  try {
    const { urls } = running
    process.stdout.write(`${JSON.stringify({ event: 'listening', urls, pid: process.pid })}\n`)
    await untilAborted(life.signal)
    return EXIT_OK
  } finally {
    clearInterval(timer)
    logCounters()
    await atMost(CLOSE_MS, running.close())
    life.close()
  }
}
