const PROXY = 'serve wss from a reverse proxy before the ws port (docs/rooms.md, "Behind a reverse proxy")'

/** Options that no longer exist, by `--option` or `command --option`: what to use instead, as a sentence. */
export const REMOVED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--watch', '--watch no longer exists: name the videos, and the folder of the photos with --out.'],
  ['trial --no-serve', '--no-serve no longer exists: trial shows no page. Leave it out.'],
  ['trial --host', '--host no longer exists: trial shows no page. Send the photos to the phone as files.'],
  ['trial --port', '--port no longer exists: trial shows no page. Send the photos to the phone as files.'],
  ['trial --table', '--table no longer exists: fill in README.txt, which trial writes beside the photos.'],
  ['trial --quiet', '--quiet no longer exists: trial prints nothing but the folder. Leave it out.'],
  [
    'relay --monthly-bytes',
    '--monthly-bytes no longer exists: --total-bytes-per-second limits what all rooms relay, and a firewall can count it.',
  ],
  [
    'relay --address-bytes-per-second',
    '--address-bytes-per-second no longer exists: --bytes-per-second limits each room, and a firewall can limit addresses.',
  ],
  ['relay --password', `--password no longer exists: ${PROXY}, at a path that only you tell.`],
  ['relay --tls-cert', `--tls-cert no longer exists: ${PROXY}.`],
  ['relay --tls-key', `--tls-key no longer exists: ${PROXY}.`],
  [
    'relay --metrics-port',
    '--metrics-port no longer exists: the counters are in the log, every minute and at SIGUSR1.',
  ],
  ['relay --data-dir', '--data-dir no longer exists: a relay writes no files. Leave it out.'],
])
