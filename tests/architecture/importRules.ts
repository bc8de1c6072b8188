import { posix } from 'node:path'
import { findCycles } from './cycles'
import { findFolderCycles, placeOf } from './folderCycles'
import { globalVisit } from './globalUses'
import { habitVisit } from './habits'
import { type Import, importVisit } from './importScan'
import { areaOf, isAdapter, isCompose, isPureCore, isTest, packageOf, pageOf, unitOf } from './places'
import { parseSource, walkSyntax } from './syntax'
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
  const own: Violation[] = []
  const edges = [...tree].flatMap(([file, source]) => {
    const imports: Import[] = []
    const visits = [importVisit(imports), globalVisit(file, own), habitVisit(file, own)]
    // Walked once and not kept: all trees together would take a gigabyte.
    walkSyntax(parseSource(file, source), (node, ancestors) => {
      for (const visit of visits) visit(node, ancestors)
    })
    return edgesOf(file, imports, tree)
  })
  const composed = new Set(
    edges.filter(({ file, target }) => isCompose(file) && isAdapter(target)).map(({ target }) => target),
  )
  return [
    ...edges.flatMap((edge) =>
      edgeRules.flatMap(([rule, check]) => verdict(rule, edge, check(edge, composed))),
    ),
    ...sharedPackages(edges),
    ...own,
    ...cyclesOf(edges),
  ]
}

type EdgeRule = (edge: Edge, composed: ReadonlySet<string>) => string | undefined

const edgeRules: readonly (readonly [Violation['rule'], EdgeRule])[] = [
  [1, pureCore],
  [2, apart],
  [2, formatsAlone],
  [4, adapterAlone],
  [5, hostsApart],
  [6, composedOnly],
  [7, nothingImportsTests],
  [8, pagesApart],
  ['uvu', throughOwnSuite],
]

const pureLibrary =
  /^(hono(\/.+)?|@hono\/zod-openapi|zod|@bufbuild\/protobuf(\/codegenv2)?|ipaddr\.js|uqr|fflate|zstddec|node:crypto|node:zlib)$/

function pureCore({ file, target, inProject }: Edge): string | undefined {
  if (!isPureCore(file)) return undefined
  const allowed = inProject ? target.startsWith('core/') : pureLibrary.test(target)
  return allowed ? undefined : `core does no I/O: it may not import ${target}`
}

/** The formats run in browsers, too, and stand on nothing but bytes and errors. */
function formatsAlone({ file, target, inProject }: Edge): string | undefined {
  if (areaOf(file) !== 'formats') return undefined
  const allowed = inProject
    ? areaOf(target) === 'formats' || /^core\/(bytes|errors)\.ts$/.test(target)
    : pureLibrary.test(target) && !target.startsWith('node:')
  return allowed ? undefined : `core/formats may not import ${target}`
}

/** What each area may not import. */
const apartFrom: Readonly<Record<string, readonly string[]>> = {
  media: ['room', 'easytier'],
  room: ['media', 'easytier'],
  easytier: ['media', 'room', 'http'],
  http: ['media', 'room', 'easytier'],
  async: ['media', 'room', 'easytier', 'http'],
}

/** Only `core/room/network` knows both rooms and the network; the other files of `core/room` use its types. */
function apart({ file, target }: Edge): string | undefined {
  const from = areaOf(file)
  const to = areaOf(target)
  if (from === undefined || to === undefined || !apartFrom[from]?.includes(to)) return undefined
  if (file.startsWith('core/room/network/') && to === 'easytier') return undefined
  return `${file.startsWith('core/room/') ? 'core/room outside network/' : `core/${from}`} may not import core/${to}`
}

/**
 * What adapters share: how processes are run, which one a file belongs to, whether it still runs, this machine's addresses, and its own
 * connections.
 */
const shared: readonly string[] = [
  'core/adapters/process/processRunner.ts',
  'core/adapters/process/processOwner.ts',
  'core/adapters/network/networkInterfaces.ts',
  'core/adapters/network/ownConnections.ts',
]
/** Ports, the small shared types of core, and the pure codecs that frame and read what goes over a line. */
const portOrCodec =
  /^core\/((.+\/)?ports|[a-z]\w+|formats\/.+|async\/\w+|easytier\/(transport\/\w+|wire\/\w+)|room\/network\/ports|room\/game\/(announcement|raknetPing))\.ts$/

function adapterAlone({ file, target, inProject }: Edge, composed: ReadonlySet<string>): string | undefined {
  if (!isAdapter(file) || !inProject) return undefined
  if (isAdapter(target)) {
    // A file in a folder below core/adapters is a part that adapters are made of, unless a compose.ts takes it.
    const isPart = unitOf(target) !== target && !composed.has(target)
    return isPart || shared.includes(target) ? undefined : `an adapter may not import another one: ${target}`
  }
  return portOrCodec.test(target)
    ? undefined
    : `an adapter imports ports, node:* and its own package, not ${target}`
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

/** The pages run in browsers: the rest of the program takes them whole, as the build makes them. */
function pagesApart({ file, target, inProject }: Edge): string | undefined {
  const [from, to] = [pageOf(file), pageOf(target)]
  if (from === undefined) {
    const isWhole = target.endsWith('.page.html.ts') || isTest(file)
    return to === undefined || isWhole ? undefined : `only the pages import their parts: ${target}`
  }
  if (to !== undefined) return to === from || to === 'shared' ? undefined : `${from} may not import ${to}`
  const isForBrowsers = inProject
    ? isPureCore(target)
    : /^(@preact\/signals|preact(\/hooks)?|uqr)$/.test(target)
  return isForBrowsers ? undefined : `this runs in browsers, where ${target} does not`
}

function throughOwnSuite({ file, target }: Edge): string | undefined {
  if (target !== 'uvu' || file.startsWith('tests/support/')) return undefined
  return 'suites come from tests/support/runner/suite'
}

/** Rule 4, "its own package": no two adapters share one. */
function sharedPackages(edges: readonly Edge[]): Violation[] {
  const owners = new Map<string, string>()
  return edges
    .filter(({ file, target, inProject }) => isAdapter(file) && !inProject && !target.startsWith('node:'))
    .flatMap((edge) => {
      const owner = owners.get(packageOf(edge.target)) ?? unitOf(edge.file)
      owners.set(packageOf(edge.target), owner)
      const problem = `${packageOf(edge.target)} belongs to ${owner}`
      return verdict(4, edge, owner === unitOf(edge.file) ? undefined : problem)
    })
}

function cyclesOf(edges: readonly Edge[]): Violation[] {
  const graph = new Map<string, string[]>()
  for (const { file, target, inProject } of edges)
    if (inProject) graph.set(file, [...(graph.get(file) ?? []), target])
  const lineOf = (isMeant: (edge: Edge) => boolean) => edges.find(isMeant)?.line ?? 0
  const ofFiles = findCycles(graph).map((cycle) => ({
    rule: 7 as const,
    file: cycle[0] ?? '',
    line: lineOf(({ file, target }) => file === cycle[0] && target === cycle[1]),
    problem: `a cycle: ${cycle.join(' → ')}`,
  }))
  const ofFolders = findFolderCycles(graph).map((cycle) => {
    const edge = edges.find(({ file, target }) => placeOf(file) === cycle[0] && placeOf(target) === cycle[1])
    const problem = `a cycle of folders: ${cycle.join(' → ')}`
    return { rule: 7 as const, file: edge?.file ?? '', line: edge?.line ?? 0, problem }
  })
  return [...ofFiles, ...ofFolders]
}

function edgesOf(file: string, imports: readonly Import[], tree: SourceTree): Edge[] {
  return imports.map(({ specifier, line }) => {
    if (specifier === undefined) return { file, line, target: '(computed)', inProject: false }
    const path = pathNamedBy(specifier, file)
    if (path === undefined) return { file, line, target: specifier, inProject: false }
    const target =
      [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => tree.has(candidate)) ??
      `${path}.ts`
    return { file, line, target, inProject: true }
  })
}

/** The path of a module of the project, without its ending; undefined for a package. */
function pathNamedBy(specifier: string, file: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  if (specifier.startsWith('#core/')) return specifier.slice(1)
  return specifier.startsWith('#support/') ? `tests/${specifier.slice(1)}` : undefined
}

function verdict(rule: Violation['rule'], { file, line }: Edge, problem: string | undefined): Violation[] {
  return problem === undefined ? [] : [{ rule, file, line, problem }]
}
