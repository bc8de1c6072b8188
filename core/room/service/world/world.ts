import { type Alarm, type Clock, createAlarm } from '#core/async/clock'
import { createEmitter } from '#core/async/emitter'
import type { Log } from '#core/log'
import { RoomFailure } from '../../failure'
import type { LocalWorld } from '../../game/gameList'
import { isVerified } from '../../game/gameRecords'
import type { GameStatus, ProbeGame } from '../../ports'

/** A world that answers, or did. */
export type KnownWorld = {
  readonly port: number
  /** The name from its announcement or its answer; undefined when it gave none. */
  readonly name: string | undefined
}

/** Where there is no port any more, `world` is the one that is gone. */
type PortChange = { readonly port: number | undefined; readonly world: KnownWorld }

export type WorldDependencies = {
  readonly probe: ProbeGame
  /** Worlds that were announced by this machine and accept connections. */
  readonly announcedWorlds: () => readonly LocalWorld[]
  readonly clock: Clock
  readonly log: Log
}

/** A world is gone after three refused checks in a row, or six where it has to answer pings and hangs, which drops players, too. */
const MAX_MISSES = 6
const MISSES = { refused: 2, unanswered: 1 } as const
const CHECK_MS = 5000
/** How often the announced worlds are searched. */
const SEARCH_MS = 250
/** How often a chosen port is probed while nothing answers there. */
const PROBE_MS = 1000
/** How long the room waits for the world to come back. */
const RETURN_MS = 60_000

/**
 * The host's world: found on this machine, monitored, and found again when it comes back on another port. Another world of
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
  /** Whether the current one was chosen by its port, so that it need not answer a ping. */
  #isChosen = false
  #misses = 0
  #offered: LocalWorld | undefined
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

  /** The port that the player has chosen; undefined = any announced world. */
  chosen(): number | undefined {
    return this.#chosen
  }

  /** While there has been no world: one that is announced and answers no ping, for the player to choose. */
  offered(): LocalWorld | undefined {
    return this.#offered
  }

  /** Chooses another world; the current one stays until the new one answers. */
  choose(port: number): void {
    this.#chosen = port
    this.#alarm.wake()
  }

  /** Resolves when a world answers for the first time. @throws RoomFailure `game-gone` for an awaited one, or the signal's reason */
  async waitUntilFound(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#searchAgain(signal)
      if (this.#current !== undefined) return
      await this.#alarm.wait(this.#chosen === undefined ? SEARCH_MS : PROBE_MS, signal)
    }
  }

  /** Monitors the world until the signal aborts. @throws RoomFailure `game-gone`, or the signal's reason */
  async watch(signal: AbortSignal): Promise<never> {
    for (;;) {
      if (this.#current === undefined) await this.#searchAgain(signal)
      else await this.#check(this.#current, signal)
      await this.#alarm.wait(this.#current === undefined ? PROBE_MS : CHECK_MS, signal)
    }
  }

  async #search(signal: AbortSignal): Promise<void> {
    const announced = this.#dependencies.announcedWorlds()
    const answering = announced.filter((world) => world.isVerified).map(({ port }) => port)
    for (const candidate of this.#chosen === undefined ? answering : [this.#chosen]) {
      if (await this.#take(candidate, signal)) return
    }
    const next = this.#chosen === undefined ? announced.find((world) => !world.isVerified) : undefined
    if (next?.port === this.#offered?.port) return
    this.#offered = next
    this.#offeredChanged.emit()
  }

  async #searchAgain(signal: AbortSignal): Promise<void> {
    if (this.#lost === undefined) return this.#search(signal)
    if (await this.#findLost(this.#lost, signal)) return
    if (this.#dependencies.clock.now() - this.#lost.at < RETURN_MS) return
    throw new RoomFailure('game-gone', 'The world does not answer any more.')
  }

  /** The world that the player has chosen since, or the same one: where it was, or under the same name elsewhere. */
  async #findLost({ port, name }: KnownWorld, signal: AbortSignal): Promise<boolean> {
    if (this.#chosen !== undefined && this.#chosen !== port) return this.#take(this.#chosen, signal)
    if (await this.#take(port, signal, this.#chosen === port ? undefined : name)) return true
    return name !== undefined && (await this.#findByName(name, signal))
  }

  async #findByName(name: string, signal: AbortSignal): Promise<boolean> {
    for (const { port } of this.#dependencies.announcedWorlds().filter((world) => world.name === name)) {
      if (!(await this.#take(port, signal))) continue
      // The port that was chosen is no longer the world's.
      this.#chosen = undefined
      return true
    }
    return false
  }

  async #check({ port, name }: KnownWorld, signal: AbortSignal): Promise<void> {
    if (this.#chosen !== undefined && this.#chosen !== port && (await this.#take(this.#chosen, signal)))
      return
    const status = await this.#dependencies.probe({ address: '127.0.0.1', port }, signal)
    if (status && isEnough(status, this.#isChosen || port === this.#chosen)) {
      this.#misses = 0
      // Its announcement may be heard later than it was found.
      this.#current = { port, name: this.#nameOf(status, port) ?? name }
      return
    }
    this.#misses += MISSES[status === undefined ? 'refused' : 'unanswered']
    if (this.#misses < MAX_MISSES) return
    this.#dependencies.log.warn('the world does not answer', { port })
    this.#lost = { port, name, at: this.#dependencies.clock.now() }
    this.#current = undefined
    this.#portChanged.emit({ port: undefined, world: { port, name } })
  }

  /**
   * Takes the world on this port, if it answers.
   * @param wantedName the name that it has to have; undefined = any. A world that tells none is taken
   */
  async #take(port: number, signal: AbortSignal, wantedName?: string): Promise<boolean> {
    const status = await this.#dependencies.probe({ address: '127.0.0.1', port }, signal)
    if (!status || !isEnough(status, port === this.#chosen)) return false
    const name = this.#nameOf(status, port)
    if (wantedName !== undefined && name !== undefined && name !== wantedName) return false
    this.#misses = 0
    this.#lost = undefined
    this.#offered = undefined
    if (this.#current?.port === port) return true
    this.#current = { port, name }
    this.#isChosen = port === this.#chosen
    this.#dependencies.log.info('the world answers', { port })
    this.#portChanged.emit({ port, world: this.#current })
    return true
  }

  #nameOf({ motd }: GameStatus, port: number): string | undefined {
    const announced = this.#dependencies.announcedWorlds().find((world) => world.port === port)
    return announced?.name || motd || undefined
  }
}

/**
 * A connection alone is enough where the player has chosen the port: mods break each of the pings.
 * @see docs/decisions.md, D146
 */
function isEnough(status: GameStatus, isChosenPort: boolean): boolean {
  return isChosenPort || isVerified(status)
}
