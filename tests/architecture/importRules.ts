import { posix } from 'node:path'
import { findCycles } from './cycles'
import { findFolderCycles, placeOf } from './folderCycles'
import { globalVisit } from './globalUses'
import { habitVisit } from './habits'
import { type Import, importVisit } from './importScan'
import { type Package, packagesIn, splitSpecifier } from './packages'
import { isAdapter, isCompose, isTest, pageOf } from './places'
import { parseSource, walkSyntax } from './syntax'
import type { SourceTree, Violation } from './violation'

type Edge = {
  readonly file: string
  readonly line: number
  /** As written, or `(computed)`. */
  readonly specifier: string
  /** The file of the project that it names. */
  readonly target: string | undefined
}

type Packages = ReadonlyMap<string, Package>

/** Checks the one import rule, and the habits that are seen in the same walk. Type-only imports count like all others. */
export function checkImportRules(tree: SourceTree): Violation[] {
  const own: Violation[] = []
  const packages = packagesIn(tree)
  const edges = [...tree].flatMap(([file, source]) => {
    if (file.endsWith('.json')) return []
    const imports: Import[] = []
    const visits = [importVisit(imports), globalVisit(file, own), habitVisit(file, own)]
    // Walked once and not kept: all trees together would take a gigabyte.
    walkSyntax(parseSource(file, source), (node, ancestors) => {
      for (const visit of visits) visit(node, ancestors)
    })
    return edgesOf(file, imports, tree, packages)
  })
  const found = edges.flatMap((edge) => {
    const [rule, problem] = problemOf(edge, packages) ?? []
    return rule && problem ? [{ rule, file: edge.file, line: edge.line, problem }] : []
  })
  return [...dependencyProblems(packages), ...found, ...own, ...cyclesOf(edges)]
}

type Problem = readonly [rule: Violation['rule'], problem: string] | undefined

function problemOf(edge: Edge, packages: Packages): Problem {
  const { file, specifier, target } = edge
  if (specifier === 'uvu' && !file.startsWith('tests/support/'))
    return ['uvu', 'suites come from tests/support/runner/suite']
  if (target && isTest(target) && !isTest(file)) return ['imports', `nothing imports tests: ${target}`]
  const { name } = splitSpecifier(specifier)
  const reached = packages.get(name)
  const home = [...packages.values()].find(({ folder }) => file.startsWith(`${folder}/`))
  const problem =
    (reached && deepImport(edge, reached)) ??
    (home ? fromPackage(edge, home) : fromOutside(edge, packages)) ??
    hostProblem(edge) ??
    pageProblem(edge)
  if (problem) return ['imports', problem]
  return doorProblem(edge)
}

/** Node, esbuild and TypeScript refuse it as well; here it is said what there is. */
function deepImport({ specifier }: Edge, { name, folder, exports }: Package): string | undefined {
  if (exports.has(splitSpecifier(specifier).entry)) return undefined
  const doors = [...exports.keys()].map((entry) => posix.join(name, entry))
  return `${folder} does not export ${specifier}; its doors are ${doors.join(', ')}`
}

/** What packages may have of Node, besides the adapters, which may have all of it. */
const computing = /^node:(crypto|zlib)$/

/** They run in browsers whole. */
const withoutNode = new Set(['core/mp4', 'core/formats', 'core/player'])

function fromPackage({ file, specifier, target }: Edge, home: Package): string | undefined {
  const { name } = splitSpecifier(specifier)
  if (name === home.name) return `${home.folder} imports its own files by #${posix.basename(home.folder)}/…`
  if (/^[.#]/.test(specifier)) {
    const isInside = target?.startsWith(`${home.folder}/`)
    return isInside ? undefined : `${home.folder} imports other packages by their names, not ${specifier}`
  }
  if (isAdapter(file) && /^(node:|\(computed\))/.test(specifier)) return undefined
  if (computing.test(specifier) && !withoutNode.has(home.folder)) return undefined
  return home.declared.has(name) ? undefined : `${home.folder}/package.json does not declare ${specifier}`
}

function fromOutside({ file, specifier, target }: Edge, packages: Packages): string | undefined {
  const reached = target && [...packages.values()].find(({ folder }) => target.startsWith(`${folder}/`))
  if (!reached || packages.has(splitSpecifier(specifier).name)) return undefined
  const isDoor = isTest(file) && specifier.startsWith('#internal/')
  return isDoor ? undefined : `${reached.folder} is imported by its name, ${reached.name}`
}

function doorProblem({ file, specifier }: Edge): Problem {
  const reached = /^#internal\/([^/]+)/.exec(specifier)?.[1]
  if (reached === undefined || file.startsWith(`tests/unit/${reached}/`)) return undefined
  return ['door', `only tests/unit/${reached} reaches into core/${reached}: ${specifier}`]
}

function hostProblem({ file, specifier, target }: Edge): string | undefined {
  if (/^(node:)?process$/.test(specifier) && !isTest(file))
    return 'process is a global here, so that its env is seen when read'
  if (target && isAdapter(target) && !isAdapter(file) && !isCompose(file) && !isTest(file))
    return `only compose.ts files and tests import adapters: ${specifier}`
  const hosts = ['handlers', 'local-runner']
  const [from = '', to = ''] = [file.split('/')[0], target?.split('/')[0]]
  const crosses = from !== to && hosts.includes(from) && hosts.includes(to)
  return crosses ? `${from} may not import ${to}` : undefined
}

const forBrowsers =
  /^(@lantern-room\/(base(\/(async|bytes))?|formats\/browser|mp4(\/\w+)?|media\/browser|player(\/define)?|takeout(\/work)?|protocol\/browser|room\/client)|@preact\/signals|preact(\/hooks)?|uqr)$/

/** The pages run in browsers: the rest of the program takes them whole, as the build makes them. */
function pageProblem({ file, specifier, target }: Edge): string | undefined {
  const [from, to] = [pageOf(file), target && pageOf(target)]
  if (from === undefined) {
    const isWhole = specifier.endsWith('.page.html') || isTest(file)
    return to === undefined || isWhole ? undefined : `only the pages import their parts: ${target}`
  }
  if (to !== undefined) return to === from || to === 'shared' ? undefined : `${from} may not import ${to}`
  return forBrowsers.test(specifier) ? undefined : `this runs in browsers, where ${specifier} does not`
}

/** From the bottom to the top: what a package may declare of the others. */
const below: Readonly<Record<string, readonly string[]>> = {
  base: [],
  mp4: ['base'],
  formats: ['base', 'mp4'],
  routers: ['base'],
  takeout: ['base', 'mp4', 'formats', 'media'],
  easytier: ['base', 'routers'],
  player: ['base', 'mp4', 'formats'],
  clients: ['base'],
  media: ['base', 'mp4', 'formats', 'clients'],
  game: ['base'],
  protocol: ['base'],
  room: ['base', 'easytier', 'game', 'protocol'],
  adapters: ['base', 'clients', 'mp4', 'formats', 'easytier', 'game', 'media', 'protocol', 'room', 'routers'],
}

function dependencyProblems(packages: Packages): Violation[] {
  return [...packages.values()].flatMap(({ name, folder, declared }) => {
    const allowed = below[posix.basename(folder)]?.map((other) => `${posix.dirname(name)}/${other}`) ?? []
    const wrong = [...declared].filter((other) => packages.has(other) && !allowed.includes(other))
    return wrong.map((other) => ({
      rule: 'imports' as const,
      file: `${folder}/package.json`,
      line: 1,
      problem: `${folder} does not stand on ${other}`,
    }))
  })
}

function cyclesOf(edges: readonly Edge[]): Violation[] {
  const graph = new Map<string, string[]>()
  for (const { file, target } of edges)
    if (target !== undefined) graph.set(file, [...(graph.get(file) ?? []), target])
  const lineOf = (isMeant: (edge: Edge) => boolean) => edges.find(isMeant)?.line ?? 0
  const ofFiles = findCycles(graph).map((cycle) => ({
    rule: 'cycles' as const,
    file: cycle[0] ?? '',
    line: lineOf(({ file, target }) => file === cycle[0] && target === cycle[1]),
    problem: `a cycle: ${cycle.join(' → ')}`,
  }))
  const ofFolders = findFolderCycles(graph).map((cycle) => {
    const isFirst = ({ file, target = '' }: Edge) =>
      placeOf(file) === cycle[0] && placeOf(target) === cycle[1]
    const edge = edges.find(isFirst)
    const problem = `a cycle of folders: ${cycle.join(' → ')}`
    return { rule: 'cycles' as const, file: edge?.file ?? '', line: edge?.line ?? 0, problem }
  })
  return [...ofFiles, ...ofFolders]
}

function edgesOf(file: string, imports: readonly Import[], tree: SourceTree, packages: Packages): Edge[] {
  return imports.map(({ specifier, line }) => {
    if (specifier === undefined) return { file, line, specifier: '(computed)', target: undefined }
    return { file, line, specifier, target: fileNamedBy(specifier, file, tree, packages) }
  })
}

/** The file of the project that a specifier names; undefined for a package from elsewhere. */
function fileNamedBy(
  specifier: string,
  file: string,
  tree: SourceTree,
  packages: Packages,
): string | undefined {
  const { name, entry } = splitSpecifier(specifier)
  const reached = packages.get(name)
  if (reached) return posix.join(reached.folder, reached.exports.get(entry) ?? entry)
  const path = pathNamedBy(specifier, file)
  if (path === undefined) return undefined
  const candidates = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`]
  return candidates.find((candidate) => tree.has(candidate)) ?? `${path}.ts`
}

/** The path of a module of the project, without its ending; undefined for a package. */
export function pathNamedBy(specifier: string, file: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  if (specifier.startsWith('#support/')) return `tests/${specifier.slice(1)}`
  if (specifier.startsWith('#internal/')) return `core/${specifier.slice('#internal/'.length)}`
  return specifier.startsWith('#') ? `core/${specifier.slice(1)}` : undefined
}
