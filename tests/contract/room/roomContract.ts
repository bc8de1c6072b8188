import type { RoomTarget } from '#support/room/roomTargets'
import type { TestWorld } from '#support/room/testWorld'
import type { Test } from '#support/runner/suite'

// What the cases of the contract are tried with.

export type RoomContract = {
  readonly test: Test<unknown>
  /** Two services that reach each other, with the default settings. */
  readonly one: () => RoomTarget
  readonly other: () => RoomTarget
  /** With a token and allowed origins: see `GUARD`. */
  readonly guarded: () => RoomTarget
  /** A game server on this machine that is not announced. */
  readonly world: () => TestWorld
}

export const GUARD = { token: 'a-token-of-the-tests.0123456789', origin: 'https://launcher.example.com' }
