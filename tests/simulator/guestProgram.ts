import { onAbort, sleep, within } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { RoomView } from '@lantern-room/room'
import type { GuestPlayer } from './guest'
import type { HostProgram } from './hostProgram'
import { describe, type Run } from './player'
import { createProgram, type Program, type Running } from './program'
import type { PlayerPlan } from './scenario'
import type { Home, SimulationContext } from './simulationContext'

const SAY_MS = 500
const AGAIN_MS = 500
const ANSWER_MS = 10_000
/** What a game takes for a lost server is 30 s; players notice much less. */
const LONGEST_PAUSE_MS = 5000

/** A player who stays, and plays all the time: the game's connection has to outlive the removal of others. */
export function createGuestProgram(
  place: SimulationContext,
  home: Home,
  plan: PlayerPlan,
  host: HostProgram,
  /** Whether nothing goes wrong for it and the host. */
  isSpared: boolean,
): GuestPlayer & Program {
  const { trace } = place
  const { name } = plan
  const { clock } = home
  const counts = { whole: 0, broken: 0 }
  let isConnected = false

  const program = createProgram(place, home, plan, {
    role: 'guest',
    onStart: (running, run) => run.keep('game', play(running, run)),
    onView({ failure }: RoomView) {
      const isWrong = failure?.code === 'removed' || failure?.code === 'refused'
      if (isWrong) trace.violate(`${name} was told: ${failure.code}`)
    },
    check() {},
    complaint() {
      const view = program.current()?.roomState.view()
      if (view?.stage !== 'Guest_Running') return `is in ${view?.stage}`
      if (!host.lists(program.machineId)) return "is not on the host's list"
      return isConnected ? undefined : 'has no connection to the world'
    },
  })
  return Object.assign(program, {
    counts,
    path: () => {
      const path = program.current()?.roomState.view().network?.path?.kind
      return path
    },
    async tryOut() {
      const running = program.current()
      if (!running) return 'is not there'
      const port = running.roomState.view().gamePort
      const answer = within(
        clock,
        ANSWER_MS,
        running.machine.echo(port, 'hello'),
        () => new Error('no answer'),
      )
      return (await answer.catch(describe)) === 'hello' ? undefined : 'the world does not answer'
    },
  })

  /** A game that connects again as soon as its connection breaks. */
  async function play(running: Running, { signal }: Run): Promise<void> {
    try {
      for (;;) {
        const { gamePort } = running.roomState.view()
        const stream = await running.machine.localNet.connect(gamePort).catch(() => undefined)
        if (stream) await playOnce(stream, signal)
        await sleep(clock, AGAIN_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Plays until the connection breaks. */
  async function playOnce(stream: ByteStream, signal: AbortSignal): Promise<void> {
    const unsubscribe = onAbort(signal, stream.destroy)
    try {
      for (let said = 0; await say(stream, said % 251); said += 1) await sleep(clock, SAY_MS, signal)
    } catch (error) {
      trace.note(`${name}: the game's connection broke: ${describe(error)}`)
    } finally {
      unsubscribe()
      stream.destroy()
      if (isConnected && !signal.aborted) noteBreak()
      isConnected = false
    }
  }

  /** @returns whether the world has sent the byte back */
  async function say(stream: ByteStream, byte: number): Promise<boolean> {
    const saidAt = clock.now()
    await stream.write(Uint8Array.of(byte))
    const heard = await stream.read()
    if (!heard) return false
    if (heard.length !== 1 || heard[0] !== byte) trace.violate(`${name}: the game hears ${heard}`)
    const pauseMs = clock.now() - saidAt
    if (isSpared && pauseMs > LONGEST_PAUSE_MS) trace.violate(`${name}: a pause of ${pauseMs} ms`)
    counts.whole += 1
    isConnected = true
    return true
  }

  function noteBreak(): void {
    counts.broken += 1
    if (isSpared) trace.violate(`${name}: the game's connection broke`)
  }
}
