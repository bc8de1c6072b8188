import { postJson } from '../../shared/ask'
import { Button } from '../../shared/Button'
import { act } from '../service/store'
import type { RoomStatus } from '../state/records'
import { say, statusText } from '../words/texts'
import { Refused } from './Notice'

/** The ports that the host shares beside the world's, and where each is reached on this computer. */
export function GuestPorts({ status: { ports, keepPorts = [] } }: { readonly status: RoomStatus }) {
  const rows = ports.flatMap(rowsOf)
  const keep = (port: number) =>
    act('ports', () => postJson('/room/guest/ports', { keepPorts: [...keepPorts, port] }))
  if (rows.length === 0) return null
  return (
    <section class="card">
      <h2>{say('hostPorts')}</h2>
      <ul class="nodes">
        {rows.map(({ name, transport, port, local, why }) => (
          <li key={`${transport} ${port}`}>
            <span class="who">
              <strong translate={false}>{name}</strong>
              <span class="quiet" translate={false}>
                {local === null ? statusText('no-free-port') : `${transport} 127.0.0.1:${local}`}
              </span>
              {why !== undefined && <small>{`${say('hostPort', port)}${statusText(why)}`}</small>}
            </span>
            {why === 'unasked' && <Button label={say('keepPort', port)} act={() => keep(port)} />}
          </li>
        ))}
      </ul>
      <Refused at="ports" />
    </section>
  )
}

/** A line for each transport. */
function rowsOf(port: RoomStatus['ports'][number]) {
  const { name, tcp, udp, localTcp, localUdp, whyTcp, whyUdp } = port
  return [
    { name, transport: 'TCP', port: tcp, local: localTcp, why: whyTcp },
    { name, transport: 'UDP', port: udp, local: localUdp, why: whyUdp },
  ].flatMap((row) => (row.port === null ? [] : { ...row, port: row.port }))
}
