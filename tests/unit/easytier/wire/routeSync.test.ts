import type { FourWords } from '#internal/easytier/wire/addresses'
import { rpcMethods } from '#internal/easytier/wire/messages'
import { MAX_RECORD_SIZE, type PeerRecord } from '#internal/easytier/wire/peerRecord'
import { decodeRouteSync, type Row } from '#internal/easytier/wire/routeSync'
import { hexOf, type JsonRecord, readVectors, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { encodeRouteSyncAs } from './encodeRouteSyncAs'

const test = suite('easytier: route sync')

type RecordVector = {
  readonly peer_id: number
  readonly inst_id?: { readonly $uuid: string }
  readonly ipv4_addr?: { readonly $ip: string }
  readonly hostname?: string
  readonly udp_nat_type?: number
  readonly tcp_nat_type?: number
  readonly version?: number
  readonly easytier_version?: string
  readonly peer_route_id?: string
  readonly network_length?: number
  readonly last_update?: { readonly seconds: string; readonly nanos?: number }
  readonly feature_flag?: JsonRecord
  readonly unknown_fields?: readonly { readonly raw: string }[]
}
type RowsVector = Readonly<
  Record<string, { readonly version: number; readonly connected: readonly number[] }>
>
type RequestVector = {
  readonly my_peer_id: number
  readonly my_session_id: string
  readonly is_initiator?: boolean
  readonly peer_infos?: { readonly items?: readonly RecordVector[] }
  readonly conn_bitmap?: { readonly $rows: RowsVector }
  readonly conn_peer_list?: {
    readonly peer_conn_infos?: readonly {
      readonly peer_id: { readonly peer_id: number; readonly version?: number }
      readonly connected_peer_ids?: readonly number[]
    }[]
  }
}
type Sync = { readonly bytes: string; readonly request: RequestVector }
type Scenario = {
  readonly name: string
  readonly events?: readonly (Partial<Sync> & { readonly event: string })[]
  readonly requests?: readonly Sync[]
}

const syncs = readVectors<{ readonly scenarios: readonly Scenario[] }>('routes').scenarios.flatMap(
  ({ name, events = [], requests = [] }) =>
    [...events, ...requests].flatMap(({ bytes, request }) =>
      bytes === undefined || request === undefined ? [] : { name, bytes: unhex(bytes), request },
    ),
)

test('every recorded request gives its records, raw and read, and its rows', () => {
  assert.ok(syncs.length > 100, `${syncs.length} requests`)
  for (const { name, bytes, request } of syncs) {
    const sync = decodeRouteSync(bytes)
    assert.ok(sync, name)
    const { my_peer_id: from, my_session_id: sessionId, is_initiator: isInitiator = false } = request
    assert.equal([sync.from, sync.sessionId, sync.isInitiator], [from, sessionId, isInitiator])
    const items = request.peer_infos?.items ?? []
    assert.is(sync.records.length, items.length, name)
    sync.records.forEach((record, i) => {
      const { raw, ...read } = record
      assert.equal(read, recordOf(items[i]), name)
      assert.ok(hexOf(bytes).includes(hexOf(raw)), 'the bytes are those of the request')
      for (const unknown of items[i]?.unknown_fields ?? []) assert.ok(hexOf(raw).includes(unknown.raw))
    })
    assert.equal(sorted(sync.rows), sorted(rowsOf(request)), name)
  }
  assert.ok(
    syncs.some(({ request }) => request.peer_infos?.items?.some((item) => item.unknown_fields)),
    'some with unknown fields',
  )
  assert.ok(
    syncs.some(({ request }) => request.conn_peer_list) && syncs.some(({ request }) => request.conn_bitmap),
  )
})

test('every recorded request is written again the same by the message itself', () => {
  const { request } = rpcMethods.syncRouteInfo
  for (const { name, bytes } of syncs) {
    const message = request.decode(bytes)
    assert.ok(message)
    equalBytes(request.encode(message), bytes, name)
  }
})

test('what was read can be passed on: the same records byte by byte, the same rows in both forms', () => {
  for (const { name, bytes } of syncs) {
    const sync = decodeRouteSync(bytes)
    assert.ok(sync)
    for (const rowsAs of ['bitmap', 'list'] as const) {
      const records = sync.records.map(({ raw }) => raw)
      const again = decodeRouteSync(encodeRouteSyncAs({ ...sync, records, rowsAs }))
      assert.equal(again?.records, sync.records, name)
      assert.equal(sorted(again?.rows ?? []), sorted(sync.rows), name)
    }
  }
})

test('the record of the older program is read: it has a field that we do not know', () => {
  type Packet = { readonly rpc?: { readonly request?: string }; readonly inner?: RequestVector }
  const { packets } = readVectors<{ readonly packets: readonly Packet[] }>('v2.5.0')
  const found = packets.filter(({ inner }) => inner?.my_session_id !== undefined)
  assert.is(found.length, 1)
  const [packet] = found
  const sync = decodeRouteSync(unhex(packet?.rpc?.request ?? ''))
  assert.is(sync?.records.length, 1)
  const { raw, ...read } = sync?.records[0] ?? {}
  assert.equal(read, recordOf(packet?.inner?.peer_infos?.items?.[0]))
  assert.is(sync?.records[0]?.programVersion, '2.5.0')
  assert.ok(raw)
})

const EMPTY = { from: 1, sessionId: '1', isInitiator: true, records: [], rows: [] }

test('what comes beyond 256 records or rows in one message is left out', () => {
  const records = Array.from({ length: 300 }, () => unhex('0801'))
  const rows = Array.from({ length: 300 }, (_, i) => ({ peerId: i + 1, version: 1, connected: [1] }))
  const read = (rowsAs: 'bitmap' | 'list') =>
    decodeRouteSync(encodeRouteSyncAs({ ...EMPTY, records, rows, rowsAs }))
  assert.equal([read('list')?.records.length, read('list')?.rows.length], [256, 256])
  assert.is(read('bitmap')?.rows.length, 0)
})

test('a bitmap is written bit by bit as the real program writes it', () => {
  const rows: Row[] = [
    { peerId: 30, version: 5, connected: [10] },
    { peerId: 10, version: 7, connected: [30, 20] },
  ]
  const bytes = encodeRouteSyncAs({ ...EMPTY, from: 10, rows, rowsAs: 'bitmap' })
  // ids 10 (version 7), 20 (none), 30 (version 5); bits: 10→20, 10→30, 30→10 = 1, 2, 6
  assert.is(hexOf(bytes), '080a10011801' + '2a14' + '0a04080a1007' + '0a020814' + '0a04081e1005' + '12024600')
})

test('nothing to say is an empty request', () => {
  const empty = { ...EMPTY, sessionId: '18446744073709551615' }
  const bytes = encodeRouteSyncAs({ ...empty, rowsAs: 'list' })
  assert.is(hexOf(bytes), '080110ffffffffffffffffff011801')
  assert.equal(decodeRouteSync(bytes), empty)
})

test('a bitmap that is too short for its ids says nothing, and entries without a version are columns only', () => {
  const ids = '0a04080a1007' + '0a020814' + '0a04081e1005'
  const cut = decodeRouteSync(unhex(`0801${'2a13'}${ids}120146`))
  assert.equal(cut?.rows, [])
  const whole = decodeRouteSync(unhex(`0801${'2a14'}${ids}1202ff01`))
  const peerIds = whole?.rows.map(({ peerId }) => peerId)
  assert.equal(peerIds, [10, 30])
})

test('a damaged record is left out, the others stay', () => {
  const good = unhex('0801')
  const records = [unhex('0aff'), good, new Uint8Array(MAX_RECORD_SIZE + 1)]
  const sync = decodeRouteSync(encodeRouteSyncAs({ ...EMPTY, records, rowsAs: 'list' }))
  const kept = sync?.records.map(({ raw }) => hexOf(raw))
  assert.equal(kept, [hexOf(good)])
})

test('a request that is cut anywhere is none, or says less; nothing throws', () => {
  const whole = syncs.find(({ bytes }) => bytes.length > 300 && bytes.length < 600)?.bytes
  assert.ok(whole)
  let read = 0
  for (let length = 0; length < whole.length; length++) if (decodeRouteSync(whole.subarray(0, length))) read++
  assert.ok(read < 8, `${read} of ${whole.length}`)
})

function recordOf(vector: RecordVector | undefined): PeerRecord | undefined {
  if (vector === undefined) return undefined
  const flag = (name: string) => vector.feature_flag?.[name] === true
  const { last_update: updated } = vector
  return {
    peerId: vector.peer_id,
    version: vector.version ?? 0,
    routeId: vector.peer_route_id ?? '0',
    instanceId: vector.inst_id && wordsOf(vector.inst_id.$uuid),
    hostname: vector.hostname ?? '',
    address: vector.ipv4_addr?.$ip,
    networkLength: vector.network_length ?? 0,
    udpNatType: vector.udp_nat_type ?? 0,
    tcpNatType: vector.tcp_nat_type ?? 0,
    updatedAtUnixMs: updated ? Number(updated.seconds) * 1000 + Math.floor((updated.nanos ?? 0) / 1e6) : 0,
    programVersion: vector.easytier_version ?? '',
    features: {
      isSharedNode: flag('is_public_server'),
      avoidsRelay: flag('avoid_relay_data'),
      takesKcp: flag('kcp_input'),
      relaysNoKcp: flag('no_relay_kcp'),
      takesRowLists: flag('support_conn_list_sync'),
      needsDirect: flag('need_p2p'),
      refusesDirect: flag('disable_p2p'),
    },
  }
}

function wordsOf(uuid: string): FourWords {
  const word = (at: number) => Number.parseInt(uuid.replaceAll('-', '').slice(8 * at, 8 * at + 8), 16)
  return [word(0), word(1), word(2), word(3)]
}

function rowsOf(request: RequestVector): Row[] {
  const bitmap = Object.entries(request.conn_bitmap?.$rows ?? {})
    .map(([peerId, row]) => ({ peerId: Number(peerId), ...row }))
    .filter(({ version }) => version > 0)
  const list = (request.conn_peer_list?.peer_conn_infos ?? []).map((info) => ({
    peerId: info.peer_id.peer_id,
    version: info.peer_id.version ?? 0,
    connected: info.connected_peer_ids ?? [],
  }))
  return [...bitmap, ...list]
}

function sorted(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ ...row, connected: [...row.connected].sort((a, b) => a - b) }))
    .sort((a, b) => a.peerId - b.peerId)
}

test.run()
