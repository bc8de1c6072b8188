import { expandNodes } from '#internal/easytier/dialing/expandNodes'
import { namesNodes } from '#internal/easytier/transport/namedNode'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: lists of nodes')

const { signal } = new AbortController()

/** Expands an address; the texts are those at the addresses of lists. */
async function expand(url: string, texts: Readonly<Record<string, string>> = {}) {
  const fetched: string[] = []
  const fetchText = async (at: string) => {
    fetched.push(at)
    return texts[at] ?? ''
  }
  const nodes = await expandNodes({ url, origin: 'typed' }, { fetchText }, signal).then(
    (found) => found.map(({ url: { scheme, host, port } }) => `${scheme}://${host}:${port}`),
    String,
  )
  return { nodes, fetched }
}

test('a node stands for itself, and nothing is fetched', async () => {
  assert.equal(await expand('tcp://node.test'), { nodes: ['tcp://node.test:11010'], fetched: [] })
})

test('a list names nodes with any separators, UDP first and otherwise in its order', async () => {
  const text = 'tcp://a:1, udp://b:2;\nring://x ws://c:3\tudp://d:4\r\nrubbish'
  const { nodes } = await expand('https://list.test', { 'https://list.test': text })
  assert.equal(nodes, ['udp://b:2', 'udp://d:4', 'tcp://a:1', 'ws://c:3'])
})

test('a text that names a node or a list is told from any other', () => {
  for (const text of ['tcp://a:1', 'ring://x udp://b', 'https://other.test/list']) assert.ok(namesNodes(text))
  for (const text of ['', '<html><a href="x">Log in</a></html>', 'ring://x']) assert.not.ok(namesNodes(text))
})

test('eight words of a list count, and eight nodes altogether', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `tcp://n${at}:1`).join(' ')
  const single = await expand('http://l', { 'http://l': `${words(9)} udp://late:1` })
  assert.equal(single.nodes, words(8).replaceAll(' ', ',').split(','))
  const nested = await expand('http://l', { 'http://l': 'http://m http://m', 'http://m': words(8) })
  assert.is(nested.nodes.length, 8)
})

test('lists may refer to lists, three deep', async () => {
  const texts = { 'http://a': 'http://b', 'http://b': 'https://c', 'https://c': 'udp://n:1' }
  const found = await expand('http://a', texts)
  assert.equal(found, { nodes: ['udp://n:1'], fetched: ['http://a', 'http://b', 'https://c'] })
  const endless = await expand('http://a', { 'http://a': 'http://a' })
  assert.equal([endless.nodes, endless.fetched.length], ['Error: not an address of a node or a list', 3])
})

test('a list that cannot be read or is empty takes nothing from those beside it', async () => {
  const text = 'https://empty tcp://a:1 https://list udp://b:1'
  const { nodes } = await expand('https://l', { 'https://l': text, 'https://list': 'tcp://c:1' })
  assert.equal(nodes, ['udp://b:1', 'tcp://a:1', 'tcp://c:1'])
})

test('a list at https leads to no list at http', async () => {
  const texts = {
    'https://a': 'http://192.168.1.1/reboot udp://n:1',
    'http://192.168.1.1/reboot': 'udp://m:1',
  }
  assert.equal(await expand('https://a', texts), { nodes: ['udp://n:1'], fetched: ['https://a'] })
})

test('other addresses and lists without a node are refused', async () => {
  for (const url of ['ftp://list.test', 'list.test', ''])
    assert.equal(await expand(url), { nodes: 'Error: not an address of a node or a list', fetched: [] })
  assert.is((await expand('http://empty')).nodes, 'Error: the list names no node')
})

test.run()
