import { readFile, writeFile } from 'node:fs/promises'
import { CONTRACT_VERSION } from '@lantern-room/base'
import { HTTP_STATUS } from '@lantern-room/base/http'
import { GUEST_STATES } from '@lantern-room/protocol'
import { ROOM_ERROR_CODES } from '#internal/room/api/http/contracts'
import { exceptionTypeOf, FAILURE_CODES, HINT_CODES } from '#internal/room/failure'
import { NUMBER_REASONS } from '#internal/room/localNumbers'
import { NOTICE_CODES } from '#internal/room/service/state/notices'
import { STAGES, STATE_OF } from '#internal/room/service/state/stages'
import { assert, suite } from '#support/runner/suite'

const test = suite('the codes of the room service')

const PAGE = 'docs/room-codes.md'

test('their page says what the program has', async () => {
  if (process.env.UPDATE_DOCS) await writeFile(PAGE, renderRoomCodes())
  assert.equal((await readFile(PAGE, 'utf8')).split('\n'), renderRoomCodes().split('\n'))
})

/** `docs/room-codes.md`, made of the tables that the program itself uses. */
function renderRoomCodes(): string {
  return `# Codes of the room service

For authors of launchers: every value that a program may decide by, of contract version ${CONTRACT_VERSION} (\`contractVersion\` in \`GET /meta\`: the
first number rises when clients have to change, the second when something is added, so expect unknown codes). Sentences are for
people and may change. \`UPDATE_DOCS=1 npm test -- unit/room/documentedCodes\` writes this page from the source.

## \`state\` of \`/room/status\`, and of \`/state\`

| \`/state\` | \`/room/status\` |
|---|---|
${rowsOf(STAGES, (stage) => `\`${STATE_OF[stage]}\``)}

\`stage\` of \`/room/status\` is the state in which it failed.

## \`errorCode\` of \`/room/status\`

| \`exceptionType\` of a host, a guest | \`errorCode\` |
|---|---|
${rowsOf(FAILURE_CODES, (code) => `${exceptionTypeOf(code, 'host')}, ${exceptionTypeOf(code, 'guest')}`)}

\`hint\` says what a player can do; [all sentences](../core/room/words/english.json), for translators.

## \`hintCode\` of \`/room/status\`

While a room waits for a person and nothing has failed: ${NOTICE_CODES.map((code) => `\`${code}\``).join(', ')}.

Of a failure, where more is known than its \`errorCode\` says: ${HINT_CODES.map((code) => `\`${code}\``).join(', ')}.

## \`code\` of a refused request

${ROOM_ERROR_CODES.map((code) => `\`${code}\` (${code === 'upgrade-required' ? 426 : HTTP_STATUS[code]})`).join(', ')}

## \`state\` of a guest

${GUEST_STATES.map((state) => `\`${state}\``).join(', ')}

## \`whyTcp\` and \`whyUdp\` of a port

${NUMBER_REASONS.map((reason) => `\`${reason}\``).join(', ')}; left out where the number is the host's. See
[rooms](rooms.md#voice-maps-and-the-other-edition).

## Example clients

Both use nothing but their language's own library, and are run against the service by the tests:
[Python](clients/room_client.py), [Java 17](clients/RoomClient.java).
`
}

/** A row for each first cell, with the codes that have it. */
function rowsOf<Code extends string>(codes: readonly Code[], firstCell: (code: Code) => string): string {
  const rows = new Map<string, string[]>()
  for (const code of codes) rows.set(firstCell(code), [...(rows.get(firstCell(code)) ?? []), `\`${code}\``])
  return [...rows].map(([first, found]) => `| ${first} | ${found.join(', ')} |`).join('\n')
}

test.run()
