import { modListOf } from '@lantern-room/protocol/invitation'
import { assert, suite } from '#support/runner/suite'
import { UsageError } from '../../../../../../local-runner/commandLine/readArguments'
import {
  parseRoomCommand,
  type RoomCommand,
} from '../../../../../../local-runner/room/cli/options/parseRoomCommand'

const test = suite('arguments of room')

const read = (line: string) => parseRoomCommand(line.split(' ').filter(Boolean), '/home/ada')
const NONE = { env: {}, flagOf: new Map() }

const READ: readonly (readonly [string, RoomCommand])[] = [
  ['help', { kind: 'help', about: undefined }],
  ['-h', { kind: 'help', about: undefined }],
  ['help join', { kind: 'help', about: 'join' }],
  ['help dance', { kind: 'help', about: undefined }],
  ['join -h', { kind: 'help', about: 'join' }],
  ['--version --json', { kind: 'version', json: true }],
  ['relay -V', { kind: 'version', json: false }],
  ['relay', { kind: 'relay', settings: NONE }],
  ['open', { kind: 'open', invitation: undefined, settings: NONE, opensBrowser: true }],
  ['open --no-browser', { kind: 'open', invitation: undefined, settings: NONE, opensBrowser: false }],
  [
    'lantern-room:#1.a.b',
    { kind: 'open', invitation: 'lantern-room:#1.a.b', settings: NONE, opensBrowser: true },
  ],
  // As the system starts it for a link.
  [
    'open -- lantern-room:#1.a.b',
    { kind: 'open', invitation: 'lantern-room:#1.a.b', settings: NONE, opensBrowser: true },
  ],
  ['doctor --json', { kind: 'doctor', settings: NONE, isFull: false, json: true }],
  ['report', { kind: 'report', settings: NONE, output: '/home/ada/room-report.json' }],
  ['report --output -', { kind: 'report', settings: NONE, output: undefined }],
  [
    'serve --port-file a/room.json --parent-pid 42 --exit-with-stdin --replace',
    {
      kind: 'serve',
      settings: NONE,
      portFile: '/home/ada/a/room.json',
      hmclFile: undefined,
      parentPid: 42,
      exitsWithStdin: true,
      replaces: true,
    },
  ],
  ...['--hmcl /tmp/x/http', 'serve --hmcl=/tmp/x/http'].map((line): readonly [string, RoomCommand] => [
    line,
    {
      kind: 'serve',
      settings: NONE,
      portFile: undefined,
      hmclFile: '/tmp/x/http',
      parentPid: undefined,
      exitsWithStdin: false,
      replaces: false,
    },
  ]),
  [
    'host --name Ada --game-port 65535 --room U/X --no-wait --json',
    {
      kind: 'host',
      showsLink: false,
      settings: NONE,
      name: 'Ada',
      gamePort: 65_535,
      room: 'U/X',
      waitsForGame: false,
      resumes: false,
      isPrivate: false,
      ports: [],
      game: { gameVersion: undefined, mods: undefined, modsFolder: undefined },
      json: true,
    },
  ],
  [
    'join come to U/X now --name Ada --keep-ports 8123,3306',
    {
      kind: 'join',
      settings: NONE,
      name: 'Ada',
      code: 'come to U/X now',
      waits: false,
      keepPorts: [8123, 3306],
      localPort: undefined,
      resumes: false,
      acceptsNewHost: false,
      game: { gameVersion: undefined, mods: undefined, modsFolder: undefined },
      json: false,
    },
  ],
  [
    'join --resume --game-version 1.21.4 --mods sodium,lithium,',
    {
      kind: 'join',
      settings: NONE,
      name: undefined,
      code: '',
      waits: false,
      keepPorts: [],
      localPort: undefined,
      resumes: true,
      acceptsNewHost: false,
      game: { gameVersion: '1.21.4', mods: modListOf(['Lithium', 'Sodium']), modsFolder: undefined },
      json: false,
    },
  ],
]
for (const [line, command] of READ) test(`"${line}"`, () => assert.equal(read(line), command))

test('an error is about its command', () => {
  for (const [line, about, sentence] of [
    ['dance', undefined, /no command "dance"/],
    ['--json host', undefined, /Name the command before/],
    ['join', 'join', /Name the room code/],
    ['host --other', 'host', /no option --other/],
    ['host now', 'host', /what is "now"/],
    ['host --name', 'host', /--name needs a value/],
    ['host --json=1', 'host', /--json takes no value/],
    ['host --game-port 0', 'host', /--game-port must be a whole number from 1 to 65535/],
    ['serve --parent-pid 0', 'serve', /--parent-pid/],
    ['relay --password secret-password', 'relay', /--password no longer exists: .*reverse proxy/],
    // A link with a quotation mark in it, which ends the argument.
    ['open -- lantern-room:#1.a.b --nodes tcp://example.com:1', 'open', /what is "--nodes"/],
  ] as const) {
    assert.throws(
      () => read(line),
      (error: unknown) =>
        error instanceof UsageError && error.command === about && sentence.test(error.message),
      line,
    )
  }
})

test.run()
