/** Options that no longer exist, by `--option` or `command --option`: what to use instead, as a sentence. */
export const REMOVED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--watch', '--watch no longer exists: name the videos, and the folder of the photos with --out.'],
  ['trial --no-serve', '--no-serve no longer exists: trial shows no page. Leave it out.'],
  ['trial --host', '--host no longer exists: trial shows no page. Send the photos to the phone as files.'],
  ['trial --port', '--port no longer exists: trial shows no page. Send the photos to the phone as files.'],
  ['trial --table', '--table no longer exists: fill in README.txt, which trial writes beside the photos.'],
  ['trial --quiet', '--quiet no longer exists: trial prints nothing but the folder. Leave it out.'],
])
