import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { findProgram } from '../process/findProgram'
import { startCommand } from '../process/serverProcess'
import { insideOf, runIn } from './namespaces'

/** A real router's program for port mapping. */
export const hasPortMapping = findProgram('miniupnpd') !== undefined
export const WHY_NO_PORT_MAPPING =
  'a router that opens ports needs miniupnpd with nft (Debian: miniupnpd-nftables)'

/** The chains that miniupnpd writes its rules into. */
const CHAINS = `table inet filter {
  chain forwardUPnP { }
  chain UPnP { }
  chain UPnP-Postrouting { }
  chain prerouting { type nat hook prerouting priority -100; jump UPnP; }
  chain postrouting { type nat hook postrouting priority 90; jump UPnP-Postrouting; }
}`

/**
 * Runs miniupnpd on a router whose cards are `wan0` and `lan0`.
 * @returns ends it
 */
export async function startPortMapping(
  router: string,
  protocol: 'nat-pmp' | 'upnp',
): Promise<() => Promise<void>> {
  const folder = await makeTempFolder('miniupnpd')
  const settings = join(folder, 'miniupnpd.conf')
  await writeFile(
    settings,
    [
      'ext_ifname=wan0',
      'listening_ip=lan0',
      'http_port=0',
      `enable_natpmp=${protocol === 'upnp' ? 'no' : 'yes'}`,
      `enable_upnp=${protocol === 'upnp' ? 'yes' : 'no'}`,
      'secure_mode=yes',
      'upnp_forward_chain=forwardUPnP',
      'upnp_nat_chain=UPnP',
      'upnp_nat_postrouting_chain=UPnP-Postrouting',
      `lease_file=${join(folder, 'leases')}`,
      'uuid=00000000-0000-0000-0000-000000000001',
      'allow 1024-65535 0.0.0.0/0 1024-65535',
    ].join('\n'),
  )
  await runIn(router, `nft -f - <<'END'\n${CHAINS}\nEND`)
  // The way to the group's address that routers are asked at.
  await runIn(router, 'ip route add 239.0.0.0/8 dev lan0')
  const args = ['-d', '-f', settings, '-P', join(folder, 'pid')]
  const daemon = startCommand([...insideOf(router), 'miniupnpd', ...args])
  await daemon.said(protocol === 'upnp' ? /HTTP listening on port/ : /Listening for NAT-PMP/)
  return async () => {
    await daemon.end()
    await removeFolders(folder)
  }
}

/** The rules by which the router lets in what it was asked to. */
export async function openPorts(router: string): Promise<readonly string[]> {
  return (await runIn(router, 'nft list chain inet filter UPnP'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.includes('dnat'))
}
