// A player of the Bedrock edition who looks whether a world answers: `node bedrockPing.mjs 127.0.0.1:19132 --seconds 30`. Asks
// until there is an answer, and prints it as a line of JSON; exit code 1 when there is none in time.
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '30' } },
})
const [, host, port] = /^(.*):(\d+)$/.exec(positionals[0] ?? '') ?? []

const require = createRequire(import.meta.url)
// `ping` asks for the RakNet library in C++, whatever the options say; the one in JavaScript needs no compiler.
const raknet = require.resolve('bedrock-protocol/src/rak.js')
const chooseBackend = require(raknet)
require.cache[raknet].exports = () => chooseBackend('jsp-raknet')
const bedrock = require('bedrock-protocol')

for (const end = Date.now() + 1000 * Number(values.seconds); ; ) {
  try {
    // Waits for a second.
    const answer = await bedrock.ping({ host, port: Number(port) })
    tell({ event: 'pong', ...answer }, 0)
    break
  } catch (error) {
    if (Date.now() < end) continue
    tell({ event: 'error', message: error.message }, 1)
    break
  }
}

function tell(event, code) {
  process.stdout.write(`${JSON.stringify(event)}\n`, () => process.exit(code))
}
