import type { RoomTarget } from '../../support/roomTargets'
import type { Test } from '../../support/suite'
import type { TestWorld } from '../../support/world'

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
