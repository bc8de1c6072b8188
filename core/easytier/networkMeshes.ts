import { abortReason } from '../errors'
import { createGenerations, type Generations } from './generations'
import type { OpenMesh } from './mesh'
import type { MeshIdentity, MeshOptions } from './meshOptions'
import type { PayloadLayer } from './payloadLayer'
import type { RemotePeer } from './peer/peerOptions'

/** One peer under several network names and secrets. The first generation is number 0. @see Generations */
export type NetworkGenerations = {
  /** Opens another one beside those that are open. @returns its number. @throws Error when a socket cannot be opened */
  open(next: MeshIdentity): Promise<number>
  /** Resolves when nothing of it is left. Members that are reached by it alone are gone. */
  close(generation: number): Promise<void>
  /** The numbers of the open ones, the oldest first. */
  list(): readonly number[]
  at(generation: number): Pick<OpenMesh, 'peer' | 'call'> | undefined
  /** From now on this member is reached by this generation or a later one. */
  move(peerId: number, generation: number): void
  /** The members that are reached by this one. */
  peersOf(generation: number): readonly RemotePeer[]
}

/** The meshes of a network: each generation has one. */
export type NetworkMeshes = NetworkGenerations &
  Pick<Generations<RemotePeer, OpenMesh>, 'meshOf' | 'peers'> & {
    /** Sets what takes the payloads; to be called once, before the first one is opened. */
    deliverTo(payloads: Payloads): void
    /** The oldest first. */
    all(): readonly OpenMesh[]
    oldest(): OpenMesh | undefined
    /** Resolves when nothing of any of them is left. */
    closeAll(reason: unknown): Promise<void>
  }

export type NetworkMeshesOptions = {
  readonly openMesh: (options: MeshOptions) => Promise<OpenMesh>
  /** What all meshes share; the address is ours until there is a mesh that knows a later one. */
  readonly shared: Omit<MeshOptions, keyof MeshIdentity | 'onPayload' | 'signal'>
  /** A mesh has failed by itself. */
  readonly onFailed: (error: unknown) => void
}

type Payloads = Pick<PayloadLayer, 'receive' | 'announce'>

const NO_PAYLOADS: Payloads = { receive() {}, announce() {} }

export function createNetworkMeshes(options: NetworkMeshesOptions): NetworkMeshes {
  const { openMesh, shared } = options
  const generations = createGenerations<RemotePeer, OpenMesh>(shared.clock)
  /** What ends each generation; resolves when it has released everything. */
  const opened = new Map<number, (reason: unknown) => Promise<void>>()
  let lastGeneration = -1
  let payloads = NO_PAYLOADS
  const oldest = () => generations.open()[0]?.mesh

  return {
    deliverTo(next) {
      payloads = next
    },
    open,
    async close(generation) {
      generations.remove(generation)
      shared.onChange()
      await opened.get(generation)?.(new Error('its members have moved on'))
    },
    list: () => generations.open().map(({ generation }) => generation),
    at: generations.at,
    move(peerId, generation) {
      generations.move(peerId, generation)
      // Payloads show the member that we have moved, too.
      payloads.announce(peerId)
    },
    peersOf: generations.peersOf,
    meshOf: generations.meshOf,
    peers: generations.peers,
    all: () => generations.open().map(({ mesh }) => mesh),
    oldest,
    async closeAll(reason) {
      await Promise.all([...opened.values()].map((end) => end(reason)))
    },
  }

  async function open({ identity, lan }: MeshIdentity): Promise<number> {
    lastGeneration += 1
    const generation = lastGeneration
    const ending = new AbortController()
    const opening = openMesh({
      ...shared,
      identity,
      lan,
      address: oldest()?.address() ?? shared.address,
      onChange() {
        generations.settle()
        shared.onChange()
      },
      onPayload(type, payload, from) {
        if (generations.hear(from, generation)) payloads.receive(type, payload, from)
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
    if (ending.signal.aborted) throw abortReason(ending.signal)
    mesh.closed.catch(options.onFailed)
    generations.add(generation, mesh)
    shared.onChange()
    return generation
  }
}
