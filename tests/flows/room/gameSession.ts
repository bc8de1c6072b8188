import * as assert from 'uvu/assert'
import { openTogether } from '#support/process/closing'
import { type GamePlace, openGame, type Player, play } from '#support/room/realGame'
import { type RoomProcess, type RoomProcessOptions, startRoomProcess } from '#support/room/roomProcess'
import { until } from '#support/values/until'

export type PlayerMachine = GamePlace & Pick<RoomProcessOptions, 'settings'>

export type GameSession = {
  readonly host: RoomProcess
  readonly guest: RoomProcess
  /** From the order to join until the world was there, in milliseconds. */
  readonly tookMs: number
  /** What Bob found on the guest's LAN. */
  readonly found: Player['found']
  /** Bob, who plays at the guest's, and somebody at the host's talk to each other. */
  chat(): Promise<void>
  close(): Promise<void>
}

/**
 * A world is opened on the LAN of one house and hosted, and a player of another house finds it on theirs, by the room code
 * alone. When it resolves, Bob has logged in through the forward.
 */
export function startGameSession(hosting: PlayerMachine, visiting: PlayerMachine): Promise<GameSession> {
  return openTogether(async ({ keep, add, close }) => {
    const game = keep(await openGame(hosting))
    const host = keep(await startRoomProcess(hosting))
    const guest = keep(await startRoomProcess(visiting))
    // Others on this machine may play, too.
    const name = `Alex ${process.pid}`
    const code = await host.host(name)
    await host.until('Host_Running')
    await hostsThis(host, game.port)
    const startedAt = performance.now()
    await guest.join(code, 'Steve')
    await guest.until('Guest_Running')
    const tookMs = performance.now() - startedAt
    const { gamePort } = await guest.status()
    const isSameMachine = hosting.inside === visiting.inside
    const world = { announcedAs: game.motd, ...(isSameMachine && { exceptPort: game.port }) }
    const bob = await play('Bob', world, 'hello', visiting)
    add(bob.leave)
    assert.equal([bob.found?.motd, bob.found?.port], [game.motd, gamePort])
    await bob.reads('<Bob> hello')
    await game.heard('hello')
    let turn = 0
    return {
      host,
      guest,
      tookMs,
      close,
      found: bob.found,
      async chat() {
        turn += 1
        const carol = await play(`Carol${turn}`, { port: game.port }, `hi Bob ${turn}`, hosting)
        try {
          await bob.reads(`<Carol${turn}> hi Bob ${turn}`)
        } finally {
          await carol.leave()
        }
        const dave = await play(`Dave${turn}`, { port: gamePort }, `hi all ${turn}`, visiting)
        try {
          await bob.reads(`<Dave${turn}> hi all ${turn}`)
        } finally {
          await dave.leave()
        }
      },
    }
  })
}

/** Others on this machine may have worlds of their own open: then the host has to choose among those that it found. */
async function hostsThis(host: RoomProcess, gamePort: number): Promise<void> {
  const isListed = async () =>
    JSON.stringify((await host.ask('/game/servers')).body).includes(`:${gamePort}"`)
  await until('the host finds the world', isListed, { everyMs: 100 })
  if ((await host.status()).gamePort !== gamePort) await host.ask('/room/host/game', { gamePort })
  // It is asked before it is taken.
  await until('the world that was chosen', async () => (await host.status()).gamePort === gamePort, {
    everyMs: 100,
  })
}
