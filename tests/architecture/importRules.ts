import { posix } from 'node:path'
import { findCycles } from './cycles'
import { globalUses } from './globalUses'
import { importsOf } from './importScan'
import { areaOf, isAdapter, isCompose, isPureCore, isTest, packageOf, unitOf } from './places'
import { type Token, tokenize } from './tokenize'
import type { SourceTree, Violation } from './violation'

type Edge = {
  readonly file: string
  readonly line: number
  /** A path of the project, or a package's specifier as written, or `(computed)`. */
  readonly target: string
  readonly inProject: boolean
}

/** Checks the import rules. Type-only imports count like all others. */
export function checkImportRules(tree: SourceTree): Violation[] {
  const files = [...tree].map(([file, source]) => ({ file, tokens: tokenize(source) }))
  const edges = files.flatMap(({ file, tokens }) => edgesOf(file, tokens, tree))
  const composed = new Set(
    edges.filter(({ file, target }) => isCompose(file) && isAdapter(target)).map(({ target }) => target),
  )
  return [
    ...edges.flatMap((edge) =>
      edgeRules.flatMap(([rule, check]) => verdict(rule, edge, check(edge, composed))),
    ),
    ...sharedPackages(edges),
    ...files.flatMap(({ file, tokens }) => globalUses(file, tokens)),
    ...cyclesOf(edges),
  ]
}

type EdgeRule = (edge: Edge, composed: ReadonlySet<string>) => string | undefined

const edgeRules: readonly (readonly [Violation['rule'], EdgeRule])[] = [
  [1, pureCore],
  [2, apart],
  [3, adapterAlone],
  [4, hostsApart],
  [5, composedOnly],
  [6, nothingImportsTests],
  ['uvu', throughOwnSuite],
]

const pureLibrary = /^(hono(\/.+)?|@hono\/zod-openapi|zod|@bufbuild\/protobuf(\/codegenv2)?|node:crypto)$/

function pureCore({ file, target, inProject }: Edge): string | undefined {
  if (!isPureCore(file)) return undefined
  const allowed = inProject ? target.startsWith('core/') : pureLibrary.test(target)
  return allowed ? undefined : `core does no I/O: it may not import ${target}`
}

function apart({ file, target }: Edge): string | undefined {
  const from = areaOf(file)
  const to = areaOf(target)
  const crosses = (from === 'media' && to === 'room') || (from === 'room' && to === 'media')
  const sharedLeans = from === 'http' && (to === 'media' || to === 'room')
  return crosses || sharedLeans ? `core/${from} may not import core/${to}` : undefined
}

const sharedRunner = 'core/adapters/processRunner.ts'
/** `transports` is the overlay's port; its transports frame and read what goes over their lines with its pure codecs. */
const portOrCodec = /^core\/((.+\/)?ports|room\/overlay\/(transports|nat\/stun|wire\/\w+))\.ts$/

function adapterAlone({ file, target, inProject }: Edge, composed: ReadonlySet<string>): string | undefined {
  if (!isAdapter(file) || !inProject) return undefined
  if (isAdapter(target)) {
    // A file in a folder below core/adapters is a part that adapters are made of, unless a compose.ts takes it.
    const isPart = unitOf(target) !== target && !composed.has(target)
    return isPart || target === sharedRunner ? undefined : `an adapter may not import another one: ${target}`
  }
  const allowed = portOrCodec.test(target) || target === 'core/errors.ts'
  return allowed ? undefined : `an adapter imports ports, node:* and its own package, not ${target}`
}

function hostsApart({ file, target }: Edge): string | undefined {
  const [from] = file.split('/')
  const [to] = target.split('/')
  const hosts = ['handlers', 'local-runner']
  const crosses = from !== to && hosts.includes(from ?? '') && hosts.includes(to ?? '')
  return crosses ? `${from} may not import ${to}` : undefined
}

function composedOnly({ file, target }: Edge): string | undefined {
  if (/^(node:)?process$/.test(target) && !isTest(file))
    return 'process is a global here, so that its env is seen when read'
  if (!isAdapter(target) || isAdapter(file) || isCompose(file) || isTest(file)) return undefined
  return `only compose.ts files and tests import adapters: ${target}`
}

function nothingImportsTests({ file, target }: Edge): string | undefined {
  return isTest(target) && !isTest(file) ? `nothing imports tests: ${target}` : undefined
}

function throughOwnSuite({ file, target }: Edge): string | undefined {
  if (target !== 'uvu' || file.startsWith('tests/support/')) return undefined
  return 'suites come from tests/support/suite'
}

/** Rule 3, "its own package": no two adapters share one. */
function sharedPackages(edges: readonly Edge[]): Violation[] {
  const owners = new Map<string, string>()
  return edges
    .filter(({ file, target, inProject }) => isAdapter(file) && !inProject && !target.startsWith('node:'))
    .flatMap((edge) => {
      const owner = owners.get(packageOf(edge.target)) ?? unitOf(edge.file)
      owners.set(packageOf(edge.target), owner)
      const problem = `${packageOf(edge.target)} belongs to ${owner}`
      return verdict(3, edge, owner === unitOf(edge.file) ? undefined : problem)
    })
}

function cyclesOf(edges: readonly Edge[]): Violation[] {
  const graph = new Map<string, string[]>()
  for (const { file, target, inProject } of edges)
    if (inProject) graph.set(file, [...(graph.get(file) ?? []), target])
  return findCycles(graph).map((cycle) => ({
    rule: 6,
    file: cycle[0] ?? '',
    line: edges.find(({ file, target }) => file === cycle[0] && target === cycle[1])?.line ?? 0,
    problem: `a cycle: ${cycle.join(' → ')}`,
  }))
}

function edgesOf(file: string, tokens: readonly Token[], tree: SourceTree): Edge[] {
  return importsOf(tokens).map(({ specifier, line }) => {
    if (specifier === undefined) return { file, line, target: '(computed)', inProject: false }
    if (!specifier.startsWith('.')) return { file, line, target: specifier, inProject: false }
    const path = posix.join(posix.dirname(file), specifier)
    const target =
      [path, `${path}.ts`, `${path}/index.ts`].find((candidate) => tree.has(candidate)) ?? `${path}.ts`
    return { file, line, target, inProject: true }
  })
}

function verdict(rule: Violation['rule'], { file, line }: Edge, problem: string | undefined): Violation[] {
  return problem === undefined ? [] : [{ rule, file, line, problem }]
}
