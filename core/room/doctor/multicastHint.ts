/** What to do where multicast on the LAN does not work, in the words of each system's settings. */
export function multicastHint(platform: string, problem: string): string {
  if (platform === 'win32') {
    return 'Allow this program for private networks (Windows Security, Firewall & network protection, Allow an app through firewall), and make this network a private one (Settings, Network & internet).'
  }
  if (platform === 'darwin') return isRefusedByMacOs(problem) ? LOCAL_NETWORK : `${LOCAL_NETWORK} ${FIREWALL}`
  return FIREWALL
}

const FIREWALL = 'Allow this program in the firewall, for UDP on port 4445 and 5353, in private networks.'
const LOCAL_NETWORK =
  'Allow it to find devices on the local network: System Settings, Privacy & Security, Local Network; turn on this program, or the launcher or Terminal that started it.'

/** From macOS 15 on the LAN is unreachable for a program without that permission, and nothing else is. */
function isRefusedByMacOs(problem: string): boolean {
  return /EHOSTUNREACH|unreachable|no route/i.test(problem)
}
