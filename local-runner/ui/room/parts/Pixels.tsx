/**
 * A picture of squares, a letter for each; a dot is none.
 * @param colours by letter
 */
export function Pixels({
  rows,
  colours,
  name,
}: {
  readonly rows: readonly string[]
  readonly colours: Readonly<Record<string, string>>
  /** Of its class. */
  readonly name: string
}) {
  return (
    <svg
      class={`pixels ${name}`}
      viewBox={`0 0 ${rows[0]?.length ?? 0} ${rows.length}`}
      shape-rendering="crispEdges"
      aria-hidden="true"
    >
      {rows.flatMap((row, y) =>
        [...row.matchAll(/([^.])\1*/g)].map(({ 0: run, index }) => (
          <rect
            key={`${index} ${y}`}
            x={index}
            y={y}
            width={run.length}
            height={1}
            fill={colours[run.charAt(0)]}
          />
        )),
      )}
    </svg>
  )
}

const LANTERN = [
  '....k....',
  '...k.k...',
  '...k.k...',
  '..kkkkk..',
  '.kkkkkkk.',
  '.kyyyyyk.',
  '.kyywyyk.',
  '.kywwwyk.',
  '.kywwwyk.',
  '.kyywyyk.',
  '.kyyyyyk.',
  '.kkkkkkk.',
  '..kkkkk..',
]

/** It is lit as the room is: its colours are the style sheet's. */
export function LitLantern() {
  const colours = { k: 'var(--frame)', y: 'var(--flame)', w: 'var(--wick)' }
  return <Pixels name="lantern" rows={LANTERN} colours={colours} />
}

const WORLD = ['gGgggGgg', 'ggggGggG', 'GbggbgGb', 'bbGbBbbb', 'bBbbbbBb', 'bbbbBbbb', 'bbBbbbbb', 'Bbbbbbbb']
const PORTAL = ['kkkkkk', 'kpPppk', 'kPppPk', 'kppPpk', 'kpPppk', 'kPppPk', 'kppppk', 'kkkkkk']
const EARTH = { g: '#6fae45', G: '#578f34', b: '#8a6242', B: '#6f4c31' }
const GATE = { k: '#2b2140', p: '#8b4fd8', P: '#b98bf2' }

/** A block of earth: a world of one's own. */
export function WorldBlock() {
  return <Pixels name="block" rows={WORLD} colours={EARTH} />
}

/** A gate to the world of a friend. */
export function Gate() {
  return <Pixels name="block" rows={PORTAL} colours={GATE} />
}

const HAIR = ['#2b1d14', '#5b3a1e', '#a8652a', '#d8b25c', '#7a2f2f', '#3d4a63', '#5f8f4a', '#8d5aa8']
const SKIN = ['#f1c9a5', '#dba67c', '#b77a4f', '#8a5a3a', '#e8b48f', '#9cc27d']
const EYES = ['#2f5fa8', '#3d7a3d', '#5b3a1e', '#5a3d8a']
const CUTS = [
  ['hhhhhhhh', 'hhhhhhhh', 'hssssssh'],
  ['hhhhhhhh', 'hhhhhhhh', 'hhhsshhh'],
  ['.hhhhhh.', 'hhhhhhhh', 'hhssssss'],
  ['hhhhhhhh', 'hhhhhhhh', 'hhhhhhhh'],
]
const FACE = ['ssssssss', 'swesseWs', 'sssssSss', 'ssmmmmss', 'ssssssss']

/** A face that is always the same for a player. @param id the player's */
export function Face({ id }: { readonly id: string }) {
  const hash = [...id].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0,
    2_166_136_261,
  )
  const pick = <T,>(from: readonly T[], shift: number) => from[(hash >>> shift) % from.length]
  const skin = pick(SKIN, 12) ?? ''
  const colours = {
    h: pick(HAIR, 5) ?? '',
    s: skin,
    S: skin,
    w: '#fff',
    W: '#fff',
    e: pick(EYES, 17) ?? '',
    m: '#8a4438',
  }
  return <Pixels name="face" rows={[...(pick(CUTS, 22) ?? []), ...FACE]} colours={colours} />
}
