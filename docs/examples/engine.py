"""An engine that knows no rules: it captures where it can, and else makes any move. See docs/ENGINES.md."""
import random, sys

enemies = []
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "adamant-engine":
        print("id name engine.py\ngames adamas hexma stymie diam\nready", flush=True)
    elif command == "go":
        print("board\nlegal", flush=True)
    elif command == "board":
        mine = words[words.index("letters") + 1 + int(words[words.index("to_move") + 1])]
        stacks = [cell.split("=") for cell in words[words.index("cells") + 1:]]
        enemies = [cell for cell, pieces in stacks if pieces[0] != mine]
    elif command == "legal":
        moves = words[1:]  # After `all`, or after `some` if there are more.
        captures = [move for move in moves if move.replace("x", "-").split("-")[-1] in enemies]
        print("bestmove", random.choice(captures or moves), flush=True)
    elif command == "quit":
        break
