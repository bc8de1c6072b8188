import type { Player, Profile } from '@lantern-room/protocol'
import type { PlayerClaim, ScaffoldingClient } from '@lantern-room/protocol/client'
import { type GuestSelf, isListedAsAnother } from './guestSelf'

export type RegistrationOptions = {
  readonly self: GuestSelf
  readonly name: string
  readonly vendor: string
  /** Of this program, as the members of the room are told it. */
  readonly run: Uint8Array
  /** Called when it may have turned out that another member has the same data folder. */
  readonly onSelf: () => void
}

/** Another id is drawn by chance, so that a second one that is taken is a lie. */
const MAX_RENEWED = 3

/** Registers a guest with its host, by a fresh id where another member of the room has its own. */
export class Registration {
  readonly #options: RegistrationOptions
  #renewed = 0
  #hostRun: Uint8Array | undefined

  constructor(options: RegistrationOptions) {
    this.#options = options
  }

  get player(): Player {
    const { self, name, vendor } = this.#options
    return { name, machineId: self.machineId, vendor }
  }

  /** The run of the host's program, as far as it has told it. */
  get hostRun(): Uint8Array | undefined {
    return this.#hostRun
  }

  /** To be called before `playerPing`, at hosts of this program. @throws RoomFailure */
  claim(host: ScaffoldingClient): Promise<PlayerClaim> {
    return host.claim(this.#options.run, this.player)
  }

  /** @returns whether the player has another id now, and is to be registered again */
  settle(claim: PlayerClaim, list: readonly Profile[] = []): boolean {
    if (claim.kind === 'own') {
      this.#hostRun = claim.hostRun
      this.#options.self.note(claim.isShared)
      this.#options.onSelf()
      return false
    }
    return (claim.kind === 'taken' || isListedAsAnother(list, this.player)) && this.#renew()
  }

  /** At hosts of other programs: the list tells who is there, as long as nothing was registered. @throws RoomFailure */
  async registerByList(host: ScaffoldingClient): Promise<void> {
    const { self } = this.#options
    const list = await host.profiles().catch(() => [])
    const verdict = self.judge(list, this.player)
    if (verdict === 'unclear') return
    if (verdict === 'taken') this.#renew()
    await host.playerPing(this.player)
    self.noteRegistered()
  }

  #renew(): boolean {
    if (this.#renewed >= MAX_RENEWED) return false
    this.#renewed += 1
    this.#options.self.renew()
    this.#options.onSelf()
    return true
  }
}
