import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client of the room service, for launchers in Java 17: nothing but the JDK.
 *
 * <pre>
 * java RoomClient.java URL host NAME GAME_PORT
 * java RoomClient.java URL join NAME CODE
 * </pre>
 *
 * Prints the room code, or the address for the game, and then each change; Enter stops the room. The token, if there is one,
 * is in ROOM_API_TOKEN. What the codes mean is in docs/room-codes.md. A launcher has a JSON library; {@link #field} reads
 * only the flat fields that are used here.
 */
public final class RoomClient {
    private static final int CONTRACT = 1;

    /** A request was refused; the code is stable, the message is for people. */
    public static final class Refused extends IOException {
        public final int status;
        public final String code;

        Refused(int status, String code, String message) {
            super(message);
            this.status = status;
            this.code = code;
        }
    }

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();
    private final String url;
    private final String token;

    public RoomClient(String url, String token) {
        this.url = url.replaceAll("/$", "");
        this.token = token;
    }

    public String call(String method, String path, String order) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .method(method, order == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(order));
        if (token != null) request.header("Authorization", "Bearer " + token);
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() == 200) return response.body();
        throw new Refused(response.statusCode(), field(response.body(), "code"), field(response.body(), "error"));
    }

    /** @throws IllegalStateException when the service does not speak the contract that this client knows */
    public void check() throws IOException, InterruptedException {
        String version = field(call("GET", "/meta", null), "contractVersion");
        if (Integer.parseInt(version.split("\\.")[0]) != CONTRACT) {
            throw new IllegalStateException("The room service is too new for this launcher: update it.");
        }
    }

    public void host(String name, int gamePort) throws IOException, InterruptedException {
        call("POST", "/room/host/start", "{\"playerName\":" + quoted(name) + ",\"gamePort\":" + gamePort + "}");
    }

    public void join(String name, String code) throws IOException, InterruptedException {
        call("POST", "/room/guest/start", "{\"playerName\":" + quoted(name) + ",\"roomCode\":" + quoted(code) + "}");
    }

    public void stop() throws IOException, InterruptedException {
        call("POST", "/room/stop", null);
    }

    /** Prints what changes. @return the exit code, once the room fails or Enter was pressed */
    private int follow() throws IOException, InterruptedException {
        String told = "";
        while (System.in.available() == 0) {
            String state = call("GET", "/state", null);
            String status = call("GET", "/room/status", null);
            int players = state.split("\"machine_id\"", -1).length - 1;
            String now = switch (field(state, "state")) {
                case "exception" -> "failed " + field(status, "errorCode") + " " + field(status, "error");
                case "host-ok" -> "open " + field(state, "room") + " players " + players;
                case "guest-ok" -> "joined " + field(state, "url") + " players " + players;
                default -> "waiting " + field(status, "state") + " " + field(status, "hint");
            };
            if (!now.equals(told)) System.out.println(now);
            if (now.startsWith("failed")) return 1;
            told = now;
            Thread.sleep(200);
        }
        return 0;
    }

    /** The first text field of this name, or null. */
    static String field(String json, String name) {
        Matcher match = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return match.find() ? match.group(1).replaceAll("\\\\(.)", "$1") : null;
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    public static void main(String[] args) throws Exception {
        RoomClient client = new RoomClient(args[0], System.getenv("ROOM_API_TOKEN"));
        client.check();
        try {
            if (args[1].equals("host")) client.host(args[2], Integer.parseInt(args[3]));
            else client.join(args[2], args[3]);
        } catch (Refused refused) {
            System.out.println("refused " + refused.code + " " + refused.getMessage());
            System.exit(2);
        }
        int exit = client.follow();
        client.stop();
        System.exit(exit);
    }
}
