import { packetTypes } from '@lantern-room/easytier/wire'
import { encodeCallBody } from '#internal/easytier/rpc/rpcMessage'
import { encodePieces } from '#internal/easytier/rpc/rpcPiece'
import { rpcPacket } from '#internal/easytier/wire/messages'
import type { AttackContext } from './attackContext'

const SERVICES = [
  'PeerCenterRpc',
  'DirectConnectorRpc',
  'UdpHolePunchRpc',
  'TcpHolePunchRpc',
  'OspfRouteRpc',
  'No',
]

/** Many calls of any service, with requests that are rubbish or well made. */
export function callFlood(context: AttackContext): void {
  const { chance, ownId } = context
  for (let count = chance.integer(20, 80); count > 0; count -= 1) {
    const to = anybody(context)
    const service = SERVICES[chance.integer(0, SERVICES.length - 1)] ?? 'No'
    const method = {
      domain: chance.isTrue(0.9) ? context.networkName : 'elsewhere',
      service,
      method: chance.integer(0, 6),
    }
    const request = chance.bytes(chance.pick([0, 0, 3, 40, 900]))
    const body = encodeCallBody({ request, timeoutMs: chance.pick([0, 1000, 0x7fffffff]) })
    const transactionId = String(chance.integer(-(2 ** 40), 2 ** 40))
    for (const payload of encodePieces({ from: ownId, to, transactionId, isRequest: true, method, body })) {
      call(context, to, true, payload)
    }
  }
}

/** Pieces of calls that never become whole, say other totals, or places beyond the last. */
export function oddPieces(context: AttackContext): void {
  const { chance, ownId } = context
  for (let count = chance.integer(20, 80); count > 0; count -= 1) {
    const to = anybody(context)
    const payload = rpcPacket.encode({
      fromPeer: chance.isTrue(0.9) ? ownId : 1,
      toPeer: to,
      isRequest: chance.isTrue(0.5),
      transactionId: String(chance.integer(0, 30)),
      body: chance.bytes(chance.integer(0, 900)),
      totalPieces: chance.pick([0, 1, 2, 64, 65, 0xffffffff]),
      pieceIdx: chance.pick([0, 1, 63, 64, 0xffffffff]),
      ...(chance.isTrue(0.5) && { compressionInfo: { algo: chance.integer(0, 4), acceptedAlgo: 2 } }),
    })
    call(context, to, chance.isTrue(0.5), payload)
  }
}

/** Answers to calls that nobody has made, or somebody else was asked. */
export function strayAnswers(context: AttackContext): void {
  const { chance, ownId } = context
  for (let count = chance.integer(5, 30); count > 0; count -= 1) {
    const to = anybody(context)
    const method = { domain: context.networkName, service: 'OspfRouteRpc', method: 1 }
    const transactionId = String(chance.integer(0, 2 ** 32))
    const body = chance.bytes(chance.integer(0, 60))
    for (const payload of encodePieces({ from: ownId, to, transactionId, isRequest: false, method, body })) {
      call(context, to, false, payload)
    }
  }
}

function call(context: AttackContext, to: number, isRequest: boolean, payload: Uint8Array): void {
  const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
  if (context.chance.isTrue(0.7)) context.sealed({ to, type }, payload)
  else context.plain({ to, type }, payload)
}

function anybody({ chance, targets }: AttackContext): number {
  const all = targets()
  return all[chance.integer(0, Math.max(0, all.length - 1))] ?? 1
}
