/** Why a member is reached through a relay only, and what would change that. The codes are stable, for programs. */
export const RELAY_REASONS = {
  searching: {
    text: 'A direct path is still being searched.',
    hint: 'Wait: it takes some seconds, up to a minute with strict routers.',
  },
  'direct-off-here': {
    text: 'Direct connections are switched off here.',
    hint: 'Set ROOM_DIRECT to on, or start without --direct off.',
  },
  'direct-off-there': {
    text: 'The other player’s program refuses direct connections.',
    hint: 'The other player has to allow them in the settings of that program.',
  },
  'no-udp-here': {
    text: 'Nothing comes back by UDP here.',
    hint: 'Allow this program in your firewall, for UDP too, or use another network, such as a phone’s hotspot.',
  },
  'no-udp-there': {
    text: 'Nothing comes back by UDP at the other player’s side.',
    hint: 'The other player has to allow the program in the firewall, for UDP too, or use another network.',
  },
  'strict-routers': {
    text: 'Both routers give every connection another port.',
    hint: 'Switch on UPnP or NAT-PMP in one of the two routers, or use a phone’s hotspot on one side.',
  },
  'not-found': {
    text: 'The routers would allow a direct path, but none was found.',
    hint: 'Allow the program in the firewalls on both sides; if that is done, switch on UPnP in one of the routers.',
  },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly hint: string }>>

export type RelayReason = keyof typeof RELAY_REASONS
export const RELAY_REASON_CODES = Object.keys(RELAY_REASONS) as [RelayReason, ...RelayReason[]]
