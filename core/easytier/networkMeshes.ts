import type { Clock } from '@lantern-room/base/async'
import { createGenerations } from './generations'
import type { OpenMesh } from './mesh'
import type { MeshIdentity, MeshOptions } from './meshOptions'
import type { PayloadLayer } from './payloadLayer'
import type { RemotePeer } from './peer/peerOptions'

type Payloads = Pick<PayloadLayer, 'receive' | 'announce'>

/** One peer under several network names and secrets. The first generation is number 0. @see createGenerations */
export type NetworkGenerations = Pick<
  ReturnType<typeof createNetworkMeshes>,
  'open' | 'close' | 'list' | 'at' | 'move' | 'peersOf'
>

/** The options in which the meshes of a network differ. */
export type OfGeneration = Pick<
  MeshOptions,
  keyof MeshIdentity | 'address' | 'onChange' | 'onPayload' | 'signal'
>

export type NetworkMeshesOptions = {
  readonly openMesh: (of: OfGeneration) => Promise<OpenMesh>
  /** Ours until there is a mesh that knows a later one. */
  readonly address: string
  readonly clock: Clock
  /** Members, paths or shared nodes have changed. */
  readonly onChange: () => void
  /** A mesh has failed by itself. */
  readonly onFailed: (error: unknown) => void
}

/** The meshes of a network: each generation has one. */
export function createNetworkMeshes(options: NetworkMeshesOptions) {
  const { openMesh, onChange } = options
  const generations = createGenerations<RemotePeer, OpenMesh>(options.clock)
  let payloads: Payloads | undefined
  /** What ends each generation; resolves when it has released everything. */
  const opened = new Map<number, (reason: unknown) => Promise<void>>()
  let lastGeneration = -1

  return {
    list: generations.list,
    all: generations.all,
    oldest: generations.oldest,
    at: generations.at,
    meshOf: generations.meshOf,
    peers: generations.peers,
    peersOf: generations.peersOf,
    /** Registers what takes the payloads of all meshes. */
    deliverTo(next: Payloads): void {
      payloads = next
    },
    open,
    /** Resolves when nothing of it is left. Members that are reached by it alone are gone. */
    async close(generation: number): Promise<void> {
      generations.remove(generation)
      onChange()
      await opened.get(generation)?.(new Error('its members have moved on'))
    },
    /** From now on this member is reached by this generation or a later one. */
    move(peerId: number, generation: number): void {
      generations.move(peerId, generation)
      // Payloads show the member that we have moved, too.
      payloads?.announce(peerId)
    },
    /** Resolves when nothing of any of them is left. */
    async closeAll(reason: unknown): Promise<void> {
      await Promise.all([...opened.values()].map((end) => end(reason)))
    },
  }

  /** Opens another one beside those that are open. @returns its number. @throws Error when a socket cannot be opened */
  async function open({ identity, lan }: MeshIdentity): Promise<number> {
    lastGeneration += 1
    const generation = lastGeneration
    const ending = new AbortController()
    const opening = openMesh({
      identity,
      lan,
      address: generations.oldest()?.peer.own().address ?? options.address,
      onChange() {
        generations.settle()
        onChange()
      },
      onPayload(type, payload, from) {
        if (generations.hear(from, generation)) payloads?.receive(type, payload, from)
      },
      signal: ending.signal,
    })
    opened.set(generation, async (reason) => {
      ending.abort(reason)
      await opening.then(({ released }) => released).catch(() => undefined)
      opened.delete(generation)
    })
    const mesh = await opening.catch((error: unknown) => {
      opened.delete(generation)
      throw error
    })
    ending.signal.throwIfAborted()
    mesh.closed.catch(options.onFailed)
    generations.add(generation, mesh)
    onChange()
    return generation
  }
}
