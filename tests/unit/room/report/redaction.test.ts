import { createRedaction } from '#internal/room/report/redaction'
import { assert, suite } from '#support/runner/suite'

const test = suite('what leaves no machine')

const redact = createRedaction({ secrets: ['a-token.0123', 'abc'], home: '/srv/people/ada' })

const CASES: readonly (readonly [string, string])[] = [
  ['room U/YNZE-U61D-2206-HXRG is open', 'room U/YNZE-U61D-****-**** is open'],
  ['room=U%2FYNZE-U61D-2206-HXRG', 'room=U%2FYNZE-U61D-****-****'],
  ['L/YNZE-U61D-2206-HXRG', 'L/****-****-****-****'],
  ['wss://node.example.com:11011/a-long-secret failed', 'wss://node.example.com:11011/**** failed'],
  ['ws://node.example.com/', 'ws://node.example.com/'],
  ['lantern-room:AQIDBAUGBwgJCgsMDQ4PEA', 'lantern-room:[invitation]'],
  ['https://play.example.com/join#AQIDBAUGBwgJCgsMDQ4PEA', 'https://play.example.com/join#[invitation]'],
  ['Bearer a-token.0123', 'Bearer [secret]'],
  ['too short to be a secret: abc', 'too short to be a secret: abc'],
  ['/srv/people/ada/room', '~/room'],
  ['open /home/ada/.local/share/x', 'open ~/.local/share/x'],
  ['/Users/Ada Lovelace', '~ Lovelace'],
  ['C:\\Users\\ada\\AppData', '~\\AppData'],
  ['/root/.config', '~/.config'],
  ['/rooted/x', '/rooted/x'],
  ['udp://203.0.113.9:4000', 'udp://203.0.113.9:4000'],
  ['udp://8.8.4.4:4000', 'udp://[ip-1]:4000'],
  ['tcp://[2a01:4f8::1]:11010 and 8.8.4.4', 'tcp://[[ip-2]]:11010 and [ip-1]'],
  [
    '127.0.0.1, ::1, 0.0.0.0, 192.168.1.7, 10.144.144.1',
    '127.0.0.1, ::1, 0.0.0.0, 192.168.1.7, 10.144.144.1',
  ],
  ['at 2026-01-01T00:00:00.000Z, 12:30:45', 'at 2026-01-01T00:00:00.000Z, 12:30:45'],
  ['Node.js 20.19.0.1.2', 'Node.js 20.19.0.1.2'],
  ['machine 0123456789ABCDEF0123456789abcdef', 'machine [id-1]'],
]
for (const [text, expected] of CASES) {
  test(text, () => assert.is(redact(text), expected))
}

test('a user’s own folder on another drive is hidden in a log, too, whose fields are JSON', () => {
  const hide = createRedaction({ secrets: [], home: 'D:\\people\\ada' })
  const cause = "Error: EACCES: open 'D:\\people\\ada\\room.json'"
  assert.is(hide(JSON.stringify({ cause })), JSON.stringify({ cause: "Error: EACCES: open '~\\room.json'" }))
  assert.is(hide(cause), "Error: EACCES: open '~\\room.json'")
})

test('a root folder is left as it is', () => {
  for (const home of ['/', 'C:\\']) {
    const text = 'https://a.example/b C:\\b U/YNZE-U61D-2206-HXRG'
    const shown = createRedaction({ secrets: [], home })(text)
    assert.is(shown, 'https://a.example/b C:\\b U/YNZE-U61D-****-****')
  }
})

test('every text of a value is redacted, the rest stays', () => {
  const value = { at: 1, list: ['/home/ada', null, true], inner: { url: 'tcp://8.8.4.4:1' } }
  assert.equal(redact(value), { at: 1, list: ['~', null, true], inner: { url: 'tcp://[ip-1]:1' } })
})

test.run()
