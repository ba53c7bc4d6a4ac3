import {generateKeyPairSync} from "node:crypto";
import {createServer, type IncomingMessage, type Server} from "node:http";
import type {AddressInfo} from "node:net";

/** StandIn is a server in place of a public one. */
abstract class StandIn {
  #server: Server | undefined;
  url = "";

  protected abstract answer(request: IncomingMessage, body: string): {readonly status: number; readonly body: object};

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => { body += chunk; }).on("end", () => {
        const answer = this.answer(request, body);
        response.writeHead(answer.status, {"Content-Type": "application/json"}).end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}

export const BOT_TOKEN = "123456:AAcanaryCANARYcanaryCANARYcanary";

/** Telegram is the Bot API with one bot. */
export class Telegram extends StandIn {
  /** The chats that have written to the bot, and what the bot is in them. */
  readonly chats: {id: number; type: string; title?: string; first_name?: string; status: string}[] = [];
  /** The token that is valid now. */
  token = BOT_TOKEN;
  /** The messages that the bot has sent. */
  readonly sent: {chat: string; text: string}[] = [];

  protected answer(request: IncomingMessage, body: string) {
    const [, method] = new RegExp(`^/bot${this.token}/(\\w+)$`).exec(request.url ?? "") ?? [];
    if (!method) return {status: 401, body: {ok: false, error_code: 401, description: "Unauthorized"}};
    const id = partOf(body, "chat_id");
    const chat = this.chats.find((each) => `${each.id}` === id);
    const unknown = {status: 400, body: {ok: false, error_code: 400, description: "Bad Request: chat not found"}};
    switch (method) {
      case "getMe": return ok({id: 123456, is_bot: true, first_name: "Desk", username: "desk_bot"});
      case "getUpdates": return ok(this.chats.map((from, at) => ({update_id: at + 1, message: {chat: from, text: "hello"}})));
      case "getChat": return chat ? ok(chat) : unknown;
      case "getChatMember": return chat ? ok({status: chat.status, user: {id: 123456}}) : unknown;
      case "sendChatAction": return chat ? ok(true) : unknown;
      case "sendMessage":
        this.sent.push({chat: id, text: partOf(body, "text")});
        return ok({message_id: this.sent.length, date: 1, chat, text: "x"});
      default: return unknown;
    }
  }
}

function ok(result: unknown) {
  return {status: 200, body: {ok: true, result} as object};
}

// partOf returns a part of a body of type multipart/form-data.
function partOf(body: string, name: string): string {
  return new RegExp(`name="${name}"\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(body)?.[1] ?? "";
}

export const SPREADSHEET = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms";
export const ROBOT = "robot@project.iam.gserviceaccount.com";

/** Google is the token server and the Sheets API with one spreadsheet. */
export class Google extends StandIn {
  /** Whether the spreadsheet is shared with the service account. */
  shared = false;
  rows: unknown[][] = [];
  /** The JSON key of the service account. */
  readonly key = JSON.stringify({
    type: "service_account", client_email: ROBOT, private_key_id: "kid1",
    private_key: generateKeyPairSync("rsa", {modulusLength: 2048}).privateKey.export({type: "pkcs8", format: "pem"}),
  });

  protected answer(request: IncomingMessage, body: string) {
    const {pathname} = new URL(request.url ?? "", this.url);
    if (pathname === "/token") return {status: 200, body: {access_token: "ya29.test", token_type: "Bearer", expires_in: 3600}};
    if (!this.shared) return {status: 403, body: {error: {code: 403, message: "The caller does not have permission"}}};
    const [, call] = new RegExp(`^/v4/spreadsheets/${SPREADSHEET}/(.*)$`).exec(decodeURIComponent(pathname)) ?? [];
    const values = () => (JSON.parse(body) as {values: unknown[][]}).values;
    switch (`${request.method} ${call}`) {
      case "GET values:batchGet": {
        const [head = [], ...rows] = this.rows;
        return {status: 200, body: {valueRanges: [{values: head.map((title) => [title])}, {values: [rows.map((row) => row[9])]}]}};
      }
      case "PUT values/A1:J1": this.rows = [...values(), ...this.rows.slice(1)]; break;
      case "PUT values/J1": break;
      case "POST values/A:J:append": this.rows.push(...values()); break;
      default: return {status: 404, body: {error: {code: 404, message: "Requested entity was not found."}}};
    }
    return {status: 200, body: {spreadsheetId: SPREADSHEET}};
  }
}
