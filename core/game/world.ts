import type { Log } from '@lantern-room/base'
import { type Alarm, type Clock, createAlarm, createEmitter, sleep } from '@lantern-room/base/async'
import type { ProbeGame } from './ports'
import type { ProbeHere } from './probeHere'
import type { IsRefused } from './refusal'
import { announcedOf, isEnough, type KnownWorld, nameOf, offeredOf } from './worldChoice'
import type { LocalWorld } from './worldEntries'

/** Where there is no port any more, `world` is the one that is gone. */
type PortChange = { readonly port: number | undefined; readonly world: KnownWorld }

export type WorldDependencies = {
  readonly probe: ProbeGame
  readonly probeHere: ProbeHere
  readonly isRefused: IsRefused
  /** Worlds of this machine that accept connections: announced ones, and others that a search has found. */
  readonly localWorlds: () => readonly LocalWorld[]
  /** Searches this machine for worlds, at its own pace: called as long as there is none. */
  readonly searchWorlds: (signal: AbortSignal) => void
  readonly clock: Clock
  readonly log: Log
}

/** A world is gone after three pings in a row at which nothing answers, or six where it accepts connections and hangs, which drops players, too. */
const MAX_MISSES = 6
const MISSES = { silent: 2, unanswered: 1 } as const
const PING_MS = 5000
/** Between two pings: a world that was closed refuses connections, which is told before its guests ask why. */
const LOOK_MS = 2000
/** So many refusals in a row, because a full queue of connections refuses for a moment on Windows. */
const REFUSALS = 3
const REFUSED_AGAIN_MS = 200
const SEARCH_MS = 250
/** How often a chosen port is probed while nothing answers there. */
const PROBE_MS = 1000
/** How long it may take until the world is back. */
const RETURN_MS = 60_000

/** A world that was shared has not come back in time. */
export class WorldGone extends Error {}

/**
 * The world that a player shares: found on this machine, monitored, and found again when it comes back on another port. Another world of
 * this machine takes its place only when the player chooses that. What the player has not chosen has to answer a ping, because
 * any program can accept a connection.
 */
export class World {
  readonly #dependencies: WorldDependencies
  readonly #alarm: Alarm
  readonly #portChanged = createEmitter<PortChange>()
  readonly #offeredChanged = createEmitter<void>()
  /** Takes a listener that is called at each change of `port()`. */
  readonly onPort = this.#portChanged.subscribe
  /** Takes a listener that is called at each change of `offered()`, unless a world is found. */
  readonly onOffered = this.#offeredChanged.subscribe
  #chosen: number | undefined
  #current: KnownWorld | undefined
  /** Of this machine, where the current one answers. */
  #address = '127.0.0.1'
  /** Whether the current one was chosen by its port, so that it need not answer a ping. */
  #isChosen = false
  /** Worlds of the Bedrock edition listen by UDP alone. */
  #isByTcp = true
  #pingedAt = Number.NEGATIVE_INFINITY
  #misses = 0
  #offered: readonly LocalWorld[] = []
  /** The world that stopped answering, and when. */
  #lost: (KnownWorld & { readonly at: number }) | undefined

  /**
   * @param start.port the player's choice; undefined = any announced world
   * @param start.awaited a world that this player shared before: only that one is taken unasked
   */
  constructor(
    dependencies: WorldDependencies,
    start: { readonly port: number | undefined; readonly awaited?: KnownWorld | undefined },
  ) {
    this.#dependencies = dependencies
    this.#alarm = createAlarm(dependencies.clock)
    this.#chosen = start.port
    this.#lost = start.awaited && { ...start.awaited, at: dependencies.clock.now() }
  }

  /** The port where it answers; undefined while there is none. */
  port(): number | undefined {
    return this.#current?.port
  }

  /** Where it answers, of this machine's addresses. */
  address(): string {
    return this.#address
  }

  /** The port that the player has chosen; undefined = any announced world. */
  chosen(): number | undefined {
    return this.#chosen
  }

  /**
   * While there has been no world, for the player to choose: one that is announced and answers no ping, else those of this user
   * that answer and are not announced.
   */
  offered(): readonly LocalWorld[] {
    return this.#offered
  }

  /** Chooses another world; the current one stays until the new one answers. */
  choose(port: number): void {
    this.#chosen = port
    this.#alarm.wake()
  }

  /** Looks at once whether the world is still there: a connection to it was refused. */
  suspect(port: number): void {
    if (port === this.#current?.port) this.#alarm.wake()
  }

  /** Resolves when a world answers for the first time. @throws WorldGone for an awaited one, or the signal's reason */
  async waitUntilFound(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#searchAgain(signal)
      if (this.#current !== undefined) return
      await this.#alarm.wait(this.#chosen === undefined ? SEARCH_MS : PROBE_MS, signal)
    }
  }

  /** Monitors the world until the signal aborts. @throws WorldGone, or the signal's reason */
  async watch(signal: AbortSignal): Promise<never> {
    for (;;) {
      if (this.#current === undefined) await this.#searchAgain(signal)
      else await this.#look(this.#current, signal)
      const untilPing = this.#pingedAt + PING_MS - this.#dependencies.clock.now()
      await this.#alarm.wait(this.#current === undefined ? PROBE_MS : Math.min(LOOK_MS, untilPing), signal)
    }
  }

  async #look(world: KnownWorld, signal: AbortSignal): Promise<void> {
    if (this.#isByTcp && (await this.#isClosed(world.port, signal))) {
      this.#lose(world)
      return
    }
    const isPingDue = this.#pingedAt + PING_MS <= this.#dependencies.clock.now()
    const isOtherChosen = this.#chosen !== undefined && this.#chosen !== world.port
    if (isPingDue || isOtherChosen) await this.#check(world, signal)
  }

  /** Whether it refuses connections, and goes on doing so. */
  async #isClosed(port: number, signal: AbortSignal): Promise<boolean> {
    const { isRefused, clock } = this.#dependencies
    for (let refusals = 0; refusals < REFUSALS; refusals += 1) {
      if (refusals > 0) await sleep(clock, REFUSED_AGAIN_MS, signal)
      if (!(await isRefused({ address: this.#address, port }, signal))) return false
    }
    return true
  }

  async #search(signal: AbortSignal): Promise<void> {
    if (this.#chosen === undefined) this.#dependencies.searchWorlds(signal)
    const worlds = this.#dependencies.localWorlds()
    const answering = announcedOf(worlds).filter((world) => world.isVerified)
    const ports = this.#chosen === undefined ? answering.map(({ port }) => port) : [this.#chosen]
    for (const candidate of ports) if (await this.#take(candidate, signal)) return
    const before = JSON.stringify(this.#offered)
    this.#offered = this.#chosen === undefined ? offeredOf(worlds) : []
    if (JSON.stringify(this.#offered) !== before) this.#offeredChanged.emit()
  }

  async #searchAgain(signal: AbortSignal): Promise<void> {
    if (this.#lost === undefined) return this.#search(signal)
    this.#dependencies.searchWorlds(signal)
    if (await this.#findLost(this.#lost, signal)) return
    if (this.#dependencies.clock.now() - this.#lost.at < RETURN_MS) return
    throw new WorldGone('The world does not answer any more.')
  }

  /** The world that the player has chosen since, or the same one: where it was, or under the same name elsewhere. */
  async #findLost({ port, name }: KnownWorld, signal: AbortSignal): Promise<boolean> {
    const chosen = this.#chosen
    if (chosen !== undefined && chosen !== port) return this.#take(chosen, signal)
    if (await this.#take(port, signal, chosen === port ? undefined : name)) return true
    const announced = announcedOf(this.#dependencies.localWorlds())
    for (const world of announced.filter((one) => one.name === name))
      if (await this.#take(world.port, signal, undefined, chosen)) return true
    return false
  }

  async #check({ port, name }: KnownWorld, signal: AbortSignal): Promise<void> {
    if (this.#chosen !== undefined && this.#chosen !== port && (await this.#take(this.#chosen, signal)))
      return
    const status = await this.#dependencies.probe({ address: this.#address, port }, signal)
    this.#pingedAt = this.#dependencies.clock.now()
    if (status && isEnough(status, this.#isChosen || port === this.#chosen)) {
      this.#misses = 0
      // Its announcement may be heard later than it was found.
      this.#current = { port, name: nameOf(this.#dependencies.localWorlds(), status, port) ?? name }
      return
    }
    this.#misses += MISSES[status === undefined ? 'silent' : 'unanswered']
    if (this.#misses >= MAX_MISSES) this.#lose({ port, name })
  }

  #lose({ port, name }: KnownWorld): void {
    this.#dependencies.log.warn('the world does not answer', { port })
    this.#misses = 0
    this.#lost = { port, name, at: this.#dependencies.clock.now() }
    this.#current = undefined
    this.#portChanged.emit({ port: undefined, world: { port, name } })
  }

  /**
   * Takes the world on this port, if it answers.
   * @param wantedName the name that it has to have; undefined = any. A world that tells none is taken
   * @param leftPort the port that was chosen, and is no longer the world's; what is chosen meanwhile stays
   */
  async #take(port: number, signal: AbortSignal, wantedName?: string, leftPort?: number): Promise<boolean> {
    const listed = this.#dependencies.localWorlds().find((world) => world.port === port)
    const answer = await this.#dependencies.probeHere(port, signal, listed?.address)
    if (!answer || !isEnough(answer.status, port === this.#chosen)) return false
    const { status, address } = answer
    const name = nameOf(this.#dependencies.localWorlds(), status, port)
    if (wantedName !== undefined && name !== undefined && name !== wantedName) return false
    if (this.#chosen === leftPort) this.#chosen = undefined
    this.#misses = 0
    this.#lost = undefined
    this.#offered = []
    this.#address = address
    this.#isByTcp = status.by !== 'raknet'
    if (this.#current?.port === port) return true
    this.#current = { port, name }
    this.#isChosen = port === this.#chosen
    this.#dependencies.log.info('the world answers', { port, address })
    this.#portChanged.emit({ port, world: this.#current })
    return true
  }
}
